// Every fault by the name of its claim.
import * as daemon from "./daemon-faults.mjs";
import { nothingIsLeft } from "./fault-world.mjs";
import * as runner from "./runner-faults.mjs";
import * as sandbox from "./sandbox-faults.mjs";

export const FAULT_CLAIMS = {
  "faults: Docker is killed while trials start": daemon.killedAtStart,
  "faults: Docker is killed while agents work": daemon.killedUnderAgents,
  "faults: Docker is killed while tests run": daemon.killedUnderTests,
  "faults: Docker does not answer for a while": daemon.frozenUnderTests,
  "faults: Docker is gone for good": daemon.goneForGood,
  "faults: the image is missing": daemon.imageMissing,
  "faults: Docker's disk is full while agents work": daemon.fullUnderAgents,
  "faults: Docker's disk is full while tests run": daemon.fullUnderTests,
  "faults: containers are removed while agents work": sandbox.removed.agents,
  "faults: containers are removed while tests run": sandbox.removed.tests,
  "faults: containers are killed while agents work": sandbox.killed.agents,
  "faults: containers are killed while tests run": sandbox.killed.tests,
  "faults: containers are restarted while agents work": sandbox.restarted.agents,
  "faults: containers are restarted while tests run": sandbox.restarted.tests,
  "faults: containers are paused while agents work": sandbox.paused.agents,
  "faults: containers are paused while tests run": sandbox.paused.tests,
  "faults: the network is taken away while agents work": sandbox.networkLostUnderAgents,
  "faults: the network is taken away while tests run": sandbox.networkLostUnderTests,
  "faults: test.sh is killed": sandbox.testsKilled,
  "faults: memory runs out in the tests": sandbox.memoryOut,
  "faults: memory runs out in test.sh itself": sandbox.memoryOutOfScript,
  "faults: the verifier is late": sandbox.testsLate,
  "faults: the runner's disk is full": runner.ownDiskFull,
  "faults: the proxy is killed": runner.proxyKilled,
  "faults: the engines are gone": runner.engineGone,
  "faults: what an agent breaks is no fault": runner.agentsOwnDoing,
  "faults: nothing is left": nothingIsLeft,
};
