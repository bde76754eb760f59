// Whether a run's sessions were those of its host's own proxy, and are all in LiveRL's hands now.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../../bench/liverl.mjs";

/** Of `/proc`: what still runs a proxy or its guard for the run. */
export function proxiesOf(runId) {
  return readdirSync("/proc").filter((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      const argv = readFileSync(`/proc/${entry}/cmdline`, "utf8");
      return argv.includes(`/${runId}@`);
    } catch {
      return false;
    }
  });
}

/** Faults: none where the last one ends in time. */
export const proxiesEnd = (runId) =>
  until(() => proxiesOf(runId).length === 0, {
    what: `the end of the proxy of ${runId}`,
    timeoutMs: 20_000,
  }).then(
    () => [],
    (error) => [error.message],
  );

export async function judgeLocalProxy(liverl, runId) {
  const faults = [];
  const logs = join(liverl.dataDir, "runs", runId, "logs");
  const console = readdirSync(logs)
    .map((name) => readFileSync(join(logs, name), "utf8"))
    .join("\n");
  const base = /the proxy of this host \(pid \d+\) serves sessions at (http:\/\/\S+)/.exec(console);
  if (!base) faults.push("no worker says where its host's proxy serves");
  const told = [...console.matchAll(/session (\S+) at (http:\/\/\S+)/g)];
  const elsewhere = told.filter(([, id, url]) => url !== `${base?.[1]}/sess/${id}/v1`);
  if (/127\.0\.0\.1/.test(base?.[1] ?? "")) faults.push(`${base[1]} is loopback`);
  if (elsewhere.length > 0) faults.push(`${elsewhere[0][0]} is no session of ${base?.[1]}`);
  const twice = new Set(told.map(([, id]) => id)).size !== told.length;
  if (twice) faults.push("a session has two lines");
  const { rollouts } = await liverl.query("rollout.list", { runId, limit: 200 });
  const sessions = rollouts.map(({ sessionId }) => sessionId);
  const untold = sessions.filter((id) => !told.some(([, session]) => session === id));
  if (sessions.length === 0) faults.push("no rollout is listed");
  if (untold.length > 0) faults.push(`${untold[0]} has no line`);
  const root = join(liverl.dataDir, "harbor_trials/reality", runId);
  const found = readdirSync(root, { recursive: true }).filter((path) =>
    path.endsWith("proxy_trajectory.json"),
  );
  if (found.length !== sessions.length)
    faults.push(`${found.length} trajectories came over for ${sessions.length} sessions`);
  if (existsSync(join(liverl.dataDir, "proxy/frozen.jsonl"))) {
    const own = readFileSync(join(liverl.dataDir, "proxy/frozen.jsonl"), "utf8");
    if (sessions.some((id) => own.includes(id))) faults.push("LiveRL's own proxy had a session");
  }
  faults.push(...(await proxiesEnd(runId)));
  return { sessions: sessions.length, trajectories: found.length, told: told.length, faults };
}
