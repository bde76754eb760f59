export type Cell = string | number | null | undefined;
export interface Column<Row> {
  title: string;
  of: (row: Row) => Cell;
  /** Numbers stand at the right. */
  right?: true;
}

const GAP = "  ";
const NOTHING = "–";

/** Lines of a table with its columns aligned; no line ends in spaces. One line that says so where there are no rows. */
export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string[] {
  if (rows.length === 0) return ["(none)"];
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ of }) => textOf(of(row)))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => width(line[at]))));
  return cells.map((line) =>
    line
      .map((cell, at) => {
        const padding = " ".repeat((widths[at] ?? 0) - width(cell));
        return columns[at]?.right ? padding + cell : cell + padding;
      })
      .join(GAP)
      .trimEnd(),
  );
}

const textOf = (cell: Cell) =>
  cell === null || cell === undefined || cell === "" ? NOTHING : String(cell).replace(/\s+/g, " ");
const width = (text: string | undefined) => [...(text ?? "")].length;
