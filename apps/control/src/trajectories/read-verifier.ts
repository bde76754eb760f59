import { join } from "node:path";
import { Ctrf } from "@liverl/contract/ctrf";
import { IntegrityFlag } from "@liverl/contract/rollout";
import type { StepVerdict, VerifierTest, VerifierView } from "@liverl/contract/verifier-view";
import { z } from "zod";
import { parseJson } from "#trajectories/parse-json.ts";
import type { TrialFolder } from "#trajectories/trial-folder.ts";

/** Harbor's `result.json`, of which a trial of the embedded policy keeps its verdict in the agent's metadata. */
const AgentResult = z
  .looseObject({
    metadata: z
      .looseObject({
        verdict: z.string().nullish(),
        integrity: z.array(IntegrityFlag).nullish().catch(null),
      })
      .nullish(),
  })
  .nullish();
const VerifierResult = z
  .looseObject({ rewards: z.record(z.string(), z.number()).nullish() })
  .nullish()
  .catch(null);
const StepResult = z.looseObject({
  step_name: z.string(),
  agent_result: AgentResult,
  verifier_result: VerifierResult,
  exception_info: z
    .looseObject({ exception_type: z.string(), exception_message: z.string() })
    .nullish()
    .catch(null),
});
const TrialResult = z.looseObject({
  agent_result: AgentResult,
  verifier_result: VerifierResult,
  step_results: z.array(StepResult).nullish().catch(null),
});

const STATUSES = ["passed", "failed", "skipped", "pending"] as const;
/** More are no list that people read, and the agent may have written the report. */
const MOST_TESTS = 5_000;
const LONGEST_MESSAGE = 4_000;

/** Null where the verifier left nothing. `steps`: the names of the task's, if it has any; each has a folder of its own. */
export async function readVerifier(
  folder: TrialFolder | null,
  steps: readonly string[] = [],
): Promise<VerifierView | null> {
  if (folder === null) return null;
  const trial = TrialResult.safeParse(parseJson(await folder.read("result.json"))).data;
  const rewards = trial?.verifier_result?.rewards ?? null;
  // Of several steps each agent's result has the trial's own facts.
  const { metadata } = trial?.agent_result ?? trial?.step_results?.[0]?.agent_result ?? {};
  const integrity = metadata?.integrity ?? [];
  if (steps.length > 0) {
    const verdicts = await readSteps(folder, steps, trial?.step_results ?? []);
    if (verdicts.length === 0 && rewards === null && integrity.length === 0) return null;
    const soFar = trial ? null : `${verdicts.length} of ${steps.length} steps judged`;
    return { ...sumOf(verdicts), ...outcomeOf(rewards, soFar), integrity, steps: verdicts };
  }
  const { stdout, tests } = await readOutput(folder, "");
  if (stdout === null && rewards === null && tests === null && integrity.length === 0) return null;
  return {
    ...{ stdout: stdout ?? "", tests, ...countOf(stdout, tests) },
    ...outcomeOf(rewards, metadata?.verdict ?? null),
    ...{ integrity, steps: [] },
  };
}

async function readSteps(
  folder: TrialFolder,
  names: readonly string[],
  results: readonly z.infer<typeof StepResult>[],
): Promise<StepVerdict[]> {
  const all = await Promise.all(
    names.map(async (name): Promise<StepVerdict | null> => {
      const { stdout, tests } = await readOutput(folder, join("steps", name));
      const result = results.find((one) => one.step_name === name);
      if (stdout === null && tests === null && !result) return null;
      const fault = result?.exception_info;
      return {
        name,
        ...{ stdout: stdout ?? "", tests, ...countOf(stdout, tests) },
        ...outcomeOf(result?.verifier_result?.rewards ?? null, result ? null : "judged"),
        exception: fault ? { type: fault.exception_type, message: fault.exception_message } : null,
      };
    }),
  );
  return all.flatMap((one) => one ?? []);
}

async function readOutput(folder: TrialFolder, home: string) {
  const [stdout, ctrf] = await Promise.all([
    folder.read(join(home, "verifier", "test-stdout.txt")),
    folder.read(join(home, "verifier", "ctrf.json")),
  ]);
  return { stdout, tests: parseCtrf(ctrf) };
}

const countOf = (stdout: string | null, tests: readonly VerifierTest[] | null) =>
  tests ? countTests(tests) : countWords(stdout ?? "");

const outcomeOf = (rewards: Record<string, number> | null, verdict: string | null) => ({
  rewards,
  outcome: verdict ?? (rewards ? describe(rewards) : "unknown"),
});

function sumOf(verdicts: readonly StepVerdict[]) {
  const counted = verdicts.filter(({ total }) => total !== null);
  const sum = (key: "passed" | "total") =>
    counted.length === 0 ? null : counted.reduce((all, one) => all + (one[key] ?? 0), 0);
  return { stdout: "", tests: null, passed: sum("passed"), total: sum("total") };
}

/** Null where it is no report. Pure. */
export function parseCtrf(text: string | null): VerifierTest[] | null {
  const parsed = Ctrf.safeParse(parseJson(text));
  if (!parsed.success) return null;
  return parsed.data.results.tests.slice(0, MOST_TESTS).map((test) => ({
    name: test.name,
    status: STATUSES.find((status) => status === test.status) ?? "other",
    seconds: test.duration == null ? null : test.duration / 1_000,
    message: (test.message || test.trace)?.slice(0, LONGEST_MESSAGE) ?? null,
  }));
}

function countTests(tests: readonly VerifierTest[]) {
  const of = (wanted: VerifierTest["status"]) =>
    tests.filter(({ status }) => status === wanted).length;
  return { passed: of("passed"), total: of("passed") + of("failed") };
}

/** The last line that counts, as pytest's and most other runners' do. Pure. */
export function countWords(stdout: string): { passed: number | null; total: number | null } {
  const lines = stdout.split("\n").reverse();
  for (const line of lines) {
    const passed = /(?:^|\D)(\d{1,9}) passed/.exec(line)?.[1];
    const failed = /(?:^|\D)(\d{1,9}) failed/.exec(line)?.[1];
    if (passed === undefined && failed === undefined) continue;
    return { passed: Number(passed ?? 0), total: Number(passed ?? 0) + Number(failed ?? 0) };
  }
  return { passed: null, total: null };
}

const describe = (rewards: Record<string, number>) =>
  Object.entries(rewards)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
