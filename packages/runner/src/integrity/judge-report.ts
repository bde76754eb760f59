import { Ctrf } from "@liverl/contract/ctrf";
import type { IntegrityFlag } from "@liverl/contract/rollout";
import { boundedEvidence } from "#integrity/bounded-evidence.ts";

/** Names of the tests that ran by a verifier's `ctrf.json`, skipped ones left out; null where it is no report. Pure. */
export function testsThatRan(report: unknown): string[] | null {
  const parsed = Ctrf.safeParse(report);
  if (!parsed.success) return null;
  return parsed.data.results.tests
    .filter(({ status }) => status === "passed" || status === "failed")
    .map(({ name }) => name);
}

/**
 * A rewarded trial whose report has not all tests that ran when the oracle solved the task. A trial without a reward may
 * miss some in all honesty: what does not load can not be collected. Pure.
 */
export function judgeReport(given: {
  score: number | null;
  /** Null where there is no report. */
  ran: readonly string[] | null;
  oracleRan: readonly string[];
}): IntegrityFlag[] {
  const { score, oracleRan } = given;
  if (score === null || score <= 0) return [];
  const ran = new Set(given.ran ?? []);
  const missing = oracleRan.filter((name) => !ran.has(name));
  if (missing.length === 0) return [];
  const counted = `${ran.size} of the ${oracleRan.length} tests of the oracle's trial ran`;
  return [
    {
      kind: "tests-missing",
      evidence: boundedEvidence([
        given.ran === null ? "there is no report of the tests" : counted,
        ...missing.map((name) => `did not run: ${name}`),
      ]),
    },
  ];
}
