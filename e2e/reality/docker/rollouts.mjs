// What the claims have in common: rollouts, their results in words, and what must hold after each.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const demand = (isTrue, what) => {
  if (!isTrue) throw new Error(what);
};
/** Of this host on the daemon's first bridge. A daemon that found the bridge there when it started names its subnet alone. */
export function bridgeAddress() {
  const told = execFileSync("docker", [
    "network",
    "inspect",
    "bridge",
    "-f",
    "{{json .IPAM.Config}}",
  ]);
  const [{ Gateway: gateway, Subnet: subnet }] = JSON.parse(told);
  return gateway ?? subnet.replace(/\d+\/\d+$/, "1");
}

export const tell = ({ rolloutId, status, reward, error, refused, timings }) =>
  JSON.stringify({ rolloutId, status, reward, error, refused, timings });

export const rolloutOf = (runId, folder, at) => ({
  rolloutId: `${runId}-${at}`,
  runId,
  groupId: `${runId}-${at}`,
  taskRef: folder,
  mode: "train",
  step: 1,
  sampling: { temperature: 1, max_tokens: 2_048 },
});

export async function rewardsOf({ runner, registerRun }, agent, folders) {
  const runId = await registerRun(agent);
  return await Promise.all(
    folders.map((folder, at) => runner.rollout(rolloutOf(runId, folder, at))),
  );
}

export async function noneLeft({ runner, containersOf }) {
  const left = await containersOf(runner.instance());
  demand(left.length === 0, `${left.length} containers are left: ${left.map((c) => c.Names)}`);
}

export const trialFolderOf = ({ dataDir }, runId, { sessionId }) =>
  join(dataDir, "harbor_trials/docker", runId, "step_1", sessionId);

/** A file of a trial's folder. */
export function readText(runner, runId, result, name) {
  const path = join(trialFolderOf(runner, runId, result), name);
  demand(existsSync(path), `${path} is missing`);
  return readFileSync(path, "utf8");
}

/** The log of a run's only trial, which has not ended. */
export function liveLogOf(runner, runId) {
  const step = join(runner.dataDir, "harbor_trials/docker", runId, "step_1");
  const [trial] = existsSync(step) ? readdirSync(step) : [];
  return trial === undefined ? null : readFileSync(join(step, trial, "trial.log"), "utf8");
}

export const readFile = (...place) => JSON.parse(readText(...place));

const runOf = (result) => result.rolloutId.replace(/-\d+$/, "");
export const flagsOf = ({ runner }, result) =>
  readFile(runner, runOf(result), result, "result.json").agent_result.metadata.integrity;
export const patchOf = ({ runner }, result) =>
  readText(runner, runOf(result), result, "patch.diff");
