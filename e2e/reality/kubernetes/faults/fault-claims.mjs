// Every fault by the name of its claim. 0 of the trials that one strikes may end with a reward that is not its right one.
import * as cluster from "./cluster-faults.mjs";
import * as pods from "./pod-faults.mjs";

export const FAULT_CLAIMS = {
  "faults: the API server is killed while pods start": cluster.apiServerKilledAtStart,
  "faults: the API server is killed while agents work": cluster.apiServerKilledUnderAgents,
  "faults: the API server is killed while tests run": cluster.apiServerKilledUnderTests,
  "faults: the API server does not answer for a while": cluster.apiServerFrozen,
  "faults: connections are cut while tests run": cluster.connectionsCut,
  "faults: connections fall silent while tests run": cluster.connectionsSilent,
  "faults: the kubelet is killed while agents work": cluster.kubeletKilled,
  "faults: containerd is killed while tests run": cluster.containerdKilled,
  "faults: the image is missing": cluster.imageMissing,
  "faults: the quota is used up": cluster.quotaGone,
  "faults: pods are deleted while agents work": pods.deleted.agents,
  "faults: pods are deleted while tests run": pods.deleted.tests,
  "faults: pods are drained while agents work": pods.drained.agents,
  "faults: pods are drained while tests run": pods.drained.tests,
  "faults: containers are killed while agents work": pods.mainKilled.agents,
  "faults: containers are killed while tests run": pods.mainKilled.tests,
  "faults: keepers are killed while agents work": pods.keeperKilled.agents,
  "faults: keepers are killed while tests run": pods.keeperKilled.tests,
  "faults: pods are evicted while agents work": pods.evictedUnderAgents,
  "faults: pods are evicted while tests run": pods.evictedUnderTests,
  "faults: memory runs out in the tests": pods.memoryOut,
  "faults: memory runs out in test.sh itself": pods.memoryOutOfScript,
  "faults: test.sh is killed": pods.testsKilled,
  "faults: the verifier is late": pods.testsLate,
};
