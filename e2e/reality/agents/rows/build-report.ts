import type { Row } from "#reality/agents/rows/row.ts";

const sum = (rows: readonly Row[], of: (row: Row) => number) =>
  rows.reduce((total, row) => total + of(row), 0);

/** The suite's last line. `ok` needs rows that ran, all of them without fault; rows that were skipped are named. */
export function buildReport(rows: readonly Row[], isolated: boolean) {
  const ran = rows.filter((row) => row.outcome !== "skipped");
  const failed = ran.filter((row) => row.outcome === "failed");
  const requests = sum(ran, (row) => row.requests);
  const forks: Record<string, number> = {};
  for (const row of ran)
    for (const [reason, count] of Object.entries(row.forks))
      forks[reason] = (forks[reason] ?? 0) + count;
  return {
    name: "agents",
    ok: ran.length > 0 && failed.length === 0,
    figures: {
      rows: ran.length,
      failed: failed.map((row) => `${row.client}, ${row.scenario}`),
      skipped: rows
        .filter((row) => row.outcome === "skipped")
        .map((row) => `${row.client}, ${row.scenario}`),
      calls: sum(ran, (row) => row.calls),
      engineRequests: requests,
      exactPercent: requests === 0 ? 0 : (100 * sum(ran, (row) => row.exact)) / requests,
      tokens: sum(ran, (row) => row.tokens),
      nonCanonicalPercent:
        requests === 0 ? 0 : (100 * sum(ran, (row) => row.nonCanonical * row.requests)) / requests,
      mainLineBreaks: sum(ran, (row) => row.breaks),
      compactions: sum(ran, (row) => row.compactions),
      forks,
      ofOtherKind: sum(ran, (row) => row.ofOtherKind),
      wallS: sum(ran, (row) => row.wallS),
      isolated,
    },
    rows,
  };
}
