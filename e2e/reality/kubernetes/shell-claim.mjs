// An operator's shell in a real pod.
import { until } from "../../../bench/liverl.mjs";
import { openAtRunner } from "../docker/bare-shell.mjs";
import { makeTask } from "../docker/make-tasks.mjs";
import { demand, rolloutOf } from "../docker/rollouts.mjs";

/** What is typed runs in the task's container; the shell ends with the agent and leaves its mark. */
export async function opensShell({ directory, runner, registerRun }) {
  const task = makeTask(directory, "shelled", {
    solve: "while [ ! -e /tmp/done ]; do sleep 1; done",
    test: "echo 1 > /logs/verifier/reward.txt",
  });
  const runId = await registerRun("oracle");
  const request = rolloutOf(runId, task, 0);
  const finished = runner.rollout(request);
  const trial = async () =>
    (await runner.ask("GET", "/api/v1/sandboxes")).content.trials.find(
      ({ rolloutId }) => rolloutId === request.rolloutId,
    );
  await until(async () => (await trial())?.state === "running", {
    what: "the agent",
    timeoutMs: 180_000,
  });
  const { place, image } = await trial();
  demand(place !== null && image === "here/agent:1", `it is ${image} on ${place}`);
  const shell = await openAtRunner(runner, request.rolloutId);
  demand(shell.told[0]?.kind === "opened", `it was told ${JSON.stringify(shell.told)}`);
  await shell.run("echo in-$((40+2)); stty size", "in-42");
  await until(() => shell.output.includes("24 80"), { what: "its size", timeoutMs: 30_000 });
  shell.socket.send(JSON.stringify({ kind: "resize", columns: 70, rows: 20 }));
  await shell.run("sleep 1; stty size", "20 70");
  await shell.run("sleep 98765 & sleep 1; echo begun-$((40+2))", "begun-42");
  const second = await openAtRunner(runner, request.rolloutId);
  shell.socket.terminate();
  await until(async () => (await trial())?.shells === 1, { what: "one shell", timeoutMs: 30_000 });
  await second.run(
    "echo left-$(cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'slee[p] 98765')-",
    "left-0-",
  );
  await second.run("touch /tmp/done; echo done-$((40+2))", "done-42");
  await until(() => second.isClosed, { what: "the shell's end", timeoutMs: 60_000 });
  demand(/agent has ended|shell has ended/i.test(second.ending), `it ended: ${second.ending}`);
  const { reward, flags } = await finished;
  demand(reward === 1, `the reward is ${reward}`);
  demand(
    flags.some(({ kind }) => kind === "operator-shell"),
    `the flags are ${JSON.stringify(flags)}`,
  );
  return { place, reward };
}
