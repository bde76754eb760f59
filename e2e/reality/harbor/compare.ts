import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { TrialRecord } from "@liverl/runner/harbor-files/trial-record";
import { SECRET } from "./write-jobs.ts";

/** Every difference between two JSON values, as `path: ours, theirs`. */
export function differences(ours: unknown, theirs: unknown, path = ""): string[] {
  if (isTable(ours) && isTable(theirs)) {
    const keys = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
    return keys.flatMap((key) => differences(ours[key], theirs[key], `${path}/${key}`));
  }
  if (Array.isArray(ours) && Array.isArray(theirs) && ours.length === theirs.length)
    return ours.flatMap((value, i) => differences(value, theirs[i], `${path}/${i}`));
  if (sameInstant(ours, theirs)) return [];
  const [a, b] = [JSON.stringify(ours), JSON.stringify(theirs)];
  return a === b ? [] : [`${path}: ${a} here, ${b} in Harbor`];
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `2026-11-23T01:00:00.250Z` and `…00.250000Z`, and midnight of a date. */
function sameInstant(a: unknown, b: unknown): boolean {
  const isTime = (value: unknown): value is string =>
    typeof value === "string" && /^\d{4}-\d\d-\d\d(?:T|$)/.test(value);
  return isTime(a) && isTime(b) && Date.parse(a) === Date.parse(b);
}

/** JSON as the reference writes it: infinities as Python's words. */
export const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === "number" && !Number.isFinite(inner)
        ? String(inner).replace("Infinity", "inf").toLowerCase()
        : inner,
    ),
  );

type Configs = Record<string, unknown>;

/** Equal, or refused by both; those of `stricter` are refused here and accepted there. */
export function compareConfigs(ours: Configs, theirs: Configs, stricter: readonly string[]) {
  const known = new Set(stricter.map((file) => file.replace(/\.toml$/, "")));
  const rest = (configs: Configs) =>
    Object.fromEntries(Object.entries(configs).filter(([name]) => !known.has(name)));
  return {
    configs: differences(plain(rest(ours)), rest(theirs)),
    stricter: [...known].flatMap((name) =>
      ours[name] === null && theirs[name] !== null ? [] : [`${name} is no longer stricter here`],
    ),
  };
}

interface ViewedTrial {
  result: Record<string, unknown>;
  trajectory: { steps?: unknown[] } | null;
  verifier: { stdout?: string | null };
  artifacts: { files?: unknown[] };
}

interface ViewedJob {
  summary: Record<string, unknown>;
  result: { stats: { evals: Record<string, Record<string, unknown>> } } & Record<string, unknown>;
  trials: Record<string, ViewedTrial>;
}

/** What Harbor's viewer says of our files against what they were written from. */
export function compareView(
  records: readonly TrialRecord[],
  view: Record<string, ViewedJob>,
  run: string,
): string[] {
  const jobs = [...new Set(records.map(({ root }) => dirname(root)))];
  return jobs.flatMap((folder) => {
    const name = relative(run, folder);
    const job = view[name];
    if (!job) return [`the viewer shows no job ${name}`];
    const trials = records.filter(({ root }) => dirname(root) === folder);
    return [
      ...compareJob(trials, job).map((line) => `${name}${line}`),
      ...trials.flatMap((record) => compareTrial(record, job, name)),
    ];
  });
}

function compareJob(trials: readonly TrialRecord[], { result, summary }: ViewedJob): string[] {
  const failed = trials.filter(({ exception }) => exception !== null);
  const rewarded = trials.filter(({ rewards }) => rewards !== null);
  const evals = Object.values(result.stats.evals);
  return differences(
    {
      total: trials.length,
      completed: trials.length,
      errors: failed.length,
      evals: 1,
      rewarded: rewarded.length,
      // A failure counts for nothing: Harbor's own mean would take it for 0.
      mean:
        rewarded.reduce((sum, { rewards }) => sum + (rewards?.reward ?? 0), 0) / rewarded.length,
    },
    {
      total: summary.n_total_trials,
      completed: summary.n_completed_trials,
      errors: summary.n_errored_trials,
      evals: evals.length,
      rewarded: evals[0]?.n_trials,
      mean: (evals[0]?.metrics as Record<string, number>[] | undefined)?.[0]?.reward,
    },
  );
}

function compareTrial(record: TrialRecord, job: ViewedJob, jobName: string): string[] {
  const name = relative(dirname(record.root), record.root);
  const shown = job.trials[name];
  if (!shown) return [`${jobName} has no trial ${name}`];
  const written = JSON.parse(readFileSync(join(record.root, "result.json"), "utf8"));
  const { result } = shown;
  return [
    // Harbor adds its defaults: every key that we wrote must come back as it was.
    ...differences(written, pick(written, result)),
    ...differences(
      record.rewards,
      (result.verifier_result as { rewards: unknown } | null)?.rewards ?? null,
      "/rewards",
    ),
    ...(shown.trajectory?.steps?.length ? [] : ["/trajectory: the viewer shows no steps"]),
    ...(shown.verifier.stdout === "1 passed\n" ? [] : ["/verifier: the viewer shows no output"]),
    ...(shown.artifacts.files?.length ? [] : ["/artifacts: the viewer shows no files"]),
  ].map((line) => `${jobName}/${name}${line}`);
}

/** The keys of `wanted` from `found`, at every depth. */
function pick(wanted: unknown, found: unknown): unknown {
  if (Array.isArray(wanted) && Array.isArray(found))
    return found.map((value, i) => pick(wanted[i], value));
  if (!isTable(wanted) || !isTable(found)) return found;
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, pick(wanted[key], found[key])]));
}

/** Files of a folder that hold the secret. */
export function findSecret(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() && readFileSync(path, "utf8").includes(SECRET)
      ? [`${path} holds a secret`]
      : [];
  });
}
