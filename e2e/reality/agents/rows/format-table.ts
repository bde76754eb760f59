import type { Row } from "#reality/agents/rows/row.ts";

const HEAD = [
  "client",
  "scenario",
  "calls",
  "tokens",
  "exact",
  "breaks",
  "compactions",
  "forks",
  "s",
  "",
];

/** One line a row in aligned columns, and under a failed or skipped one why. */
export function formatTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => ({
    cells:
      row.outcome === "skipped"
        ? [row.client, row.scenario, ...Array(7).fill("–"), "SKIPPED"]
        : cellsOf(row),
    reasons: row.reasons,
  }));
  const widths = HEAD.map((title, i) =>
    Math.max(title.length, ...lines.map(({ cells }) => cells[i]?.length ?? 0)),
  );
  const aligned = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd();
  return [
    aligned(HEAD),
    ...lines.flatMap(({ cells, reasons }) => [
      aligned(cells),
      ...reasons.map((reason) => `    ${reason.replaceAll("\n", " ")}`),
    ]),
    "",
  ].join("\n");
}

function cellsOf(row: Row): string[] {
  const forks = Object.entries(row.forks).map(([reason, count]) => `${reason} ${count}`);
  return [
    row.client,
    row.scenario,
    String(row.calls),
    String(row.tokens),
    row.requests === 0 ? "none" : `${((100 * row.exact) / row.requests).toFixed(1)} %`,
    String(row.breaks),
    String(row.compactions),
    forks.join(", ") || "none",
    row.wallS.toFixed(1),
    row.outcome,
  ];
}
