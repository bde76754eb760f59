import { join } from "node:path";
import { Ctrf } from "@liverl/contract/ctrf";
import { IntegrityFlag } from "@liverl/contract/rollout";
import type { VerifierTest, VerifierView } from "@liverl/contract/verifier-view";
import { z } from "zod";
import { parseJson } from "#trajectories/parse-json.ts";
import type { TrialFolder } from "#trajectories/trial-folder.ts";

/** Harbor's `result.json`, of which a trial of the embedded policy keeps its verdict in the agent's metadata. */
const TrialResult = z.looseObject({
  agent_result: z
    .looseObject({
      metadata: z
        .looseObject({
          verdict: z.string().nullish(),
          integrity: z.array(IntegrityFlag).nullish().catch(null),
        })
        .nullish(),
    })
    .nullish(),
  verifier_result: z
    .looseObject({ rewards: z.record(z.string(), z.number()).nullish() })
    .nullish()
    .catch(null),
});

const STATUSES = ["passed", "failed", "skipped", "pending"] as const;
/** More are no list that people read, and the agent may have written the report. */
const MOST_TESTS = 5_000;
const LONGEST_MESSAGE = 4_000;

/** Null where the verifier left nothing. */
export async function readVerifier(folder: TrialFolder | null): Promise<VerifierView | null> {
  if (folder === null) return null;
  const [stdout, result, ctrf] = await Promise.all([
    folder.read(join("verifier", "test-stdout.txt")),
    folder.read("result.json"),
    folder.read(join("verifier", "ctrf.json")),
  ]);
  const trial = TrialResult.safeParse(parseJson(result)).data;
  const rewards = trial?.verifier_result?.rewards ?? null;
  const integrity = trial?.agent_result?.metadata?.integrity ?? [];
  const tests = parseCtrf(ctrf);
  if (stdout === null && rewards === null && tests === null && integrity.length === 0) return null;
  const counted = tests ? countTests(tests) : countWords(stdout ?? "");
  return {
    stdout: stdout ?? "",
    outcome: trial?.agent_result?.metadata?.verdict ?? (rewards ? describe(rewards) : "unknown"),
    ...counted,
    rewards,
    integrity,
    tests,
  };
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
    const passed = /(\d+) passed/.exec(line)?.[1];
    const failed = /(\d+) failed/.exec(line)?.[1];
    if (passed === undefined && failed === undefined) continue;
    return { passed: Number(passed ?? 0), total: Number(passed ?? 0) + Number(failed ?? 0) };
  }
  return { passed: null, total: null };
}

const describe = (rewards: Record<string, number>) =>
  Object.entries(rewards)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
