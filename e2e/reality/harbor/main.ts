import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { answer, type Cases } from "./answer.ts";
import { compareConfigs, compareView, differences, findSecret, plain } from "./compare.ts";
import { writeJobs } from "./write-jobs.ts";

// Our side of the comparison: without --compare it writes what the reference reads, with it compares what that wrote.
const [tasks, casesFile, configs, work, recording] = process.argv.slice(2);
if (!tasks || !casesFile || !configs || !work || !recording)
  throw new Error("usage: harbor-parity TASKS CASES CONFIGS WORK RECORDING [--compare]");
const cases: Cases = JSON.parse(readFileSync(casesFile, "utf8"));
const run = join(work, "jobs");
const trajectory = ProxyTrajectory.parse(JSON.parse(readFileSync(recording, "utf8")));
const records = await writeJobs(run, trajectory);
const ours = await answer({ tasks, configs, work }, cases);

if (process.argv.includes("--compare")) {
  const theirs = JSON.parse(readFileSync(join(work, "theirs.json"), "utf8"));
  // Not there without a Docker daemon.
  const playedFile = join(work, "played.json");
  const played: Record<string, { ours: unknown; theirs: unknown }> = existsSync(playedFile)
    ? JSON.parse(readFileSync(playedFile, "utf8"))
    : {};
  const checks: Record<string, string[]> = {
    played: Object.entries(played).flatMap(([name, { ours, theirs }]) =>
      differences(ours, theirs, name),
    ),
    ...compareConfigs(ours.configs, theirs.configs, readdirSync(join(configs, "stricter"))),
    tasks: differences(plain(ours.tasks), theirs.tasks),
    rewards: differences(plain(ours.rewards), theirs.rewards),
    steps: differences(ours.steps, theirs.steps),
    env: differences(plain(ours.env), theirs.env),
    view: compareView(records, theirs.view, run),
    trajectories: Object.entries<{ ok: boolean; errors: string[] }>(theirs.trajectories).flatMap(
      ([path, { ok, errors }]) => (ok ? [] : [`${path}: ${errors.join("; ")}`]),
    ),
    secrets: findSecret(run),
  };
  const found = Object.values(checks).flat();
  for (const line of found) process.stderr.write(`✗ ${line}\n`);
  const accepted = Object.values(theirs.configs).filter((config) => config !== null).length;
  const figures = {
    harbor: theirs.version,
    configs: Object.keys(theirs.configs).length,
    refusedByBoth: Object.keys(theirs.configs).length - accepted,
    refusedHereAlone: readdirSync(join(configs, "stricter")).length,
    tasks: Object.keys(theirs.tasks).length,
    rewards: Object.keys(theirs.rewards).length,
    trialsShown: records.length,
    trialsOfStepsPlayed: Object.keys(played).length,
    trajectories: Object.keys(theirs.trajectories).length,
    different: found.length,
  };
  const isWhole = figures.trajectories === records.length && figures.tasks > 0 && accepted > 0;
  const ok = found.length === 0 && isWhole;
  process.stdout.write(`${JSON.stringify({ name: "harbor", ok, figures })}\n`);
  process.exitCode = ok ? 0 : 1;
} else {
  writeFileSync(join(work, "ours.json"), JSON.stringify(plain(ours)));
}
