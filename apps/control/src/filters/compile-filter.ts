import type {
  Comparison,
  Filter,
  FilterLeaf,
  FilterValue,
} from "@liverl/contract/filter/filter-tree";
import type { SqlValues } from "#filters/sql-values.ts";

/** Where a field of the filter language stands. The SQL is ours: nothing of it comes from a filter. */
export type FilterColumn =
  | {
      kind: "number";
      sql: string;
      /** What rows are sorted by in its place: the same order, and steady while the value itself grows with time. */
      order?: string;
    }
  | {
      kind: "integer";
      sql: string;
      /** An expression of an index that falls as the column rises: the same condition is put to it, too. */
      falling?: string;
    }
  | {
      kind: "text";
      sql: string;
      /** The column's different values that are like `$n`, from an index: far fewer than there are rows. */
      valuesLike?: (place: string) => string;
    }
  | { kind: "list"; sql: string };
export type FilterColumns = Readonly<Record<string, FilterColumn>>;

const INT_MAX = 2_147_483_647;
const SQL_OF = { "=": "=", "!=": "IS DISTINCT FROM", "<": "<", "<=": "<=", ">": ">", ">=": ">=" };
const FALLING = { "=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<=" } as const;

/**
 * A filter as an SQL condition. A row without a value meets no condition on it but `!=`, `!~` and what is under a `not`,
 * so that a filter and its `not` always share out all rows.
 */
export function compileFilter(filter: Filter, columns: FilterColumns, values: SqlValues): string {
  switch (filter.kind) {
    case "and":
    case "or":
      return filter.parts
        .map((part) => `(${compileFilter(part, columns, values)})`)
        .join(` ${filter.kind.toUpperCase()} `);
    case "not":
      return `(${compileFilter(filter.part, columns, values)}) IS NOT TRUE`;
    default:
      return compileLeaf(filter, columnOf(filter, columns), values);
  }
}

function columnOf({ field }: FilterLeaf, columns: FilterColumns): FilterColumn {
  const column = columns[field];
  if (!column) throw new Error(`no column for the field ${field}`);
  return column;
}

function compileLeaf(leaf: FilterLeaf, column: FilterColumn, values: SqlValues): string {
  switch (leaf.kind) {
    case "range":
      return `${compare(column, ">=", leaf.from, values)} AND ${compare(column, "<=", leaf.to, values)}`;
    case "among":
      return compileAmong(column, leaf.values, values);
    case "compare":
      return compare(column, leaf.op, leaf.value, values);
  }
}

function compileAmong(
  column: FilterColumn,
  wanted: readonly (string | number)[],
  values: SqlValues,
): string {
  if (column.kind === "list")
    return `${column.sql} <> '{}' AND ${column.sql} && ${values.add(wanted)}::text[]`;
  if (column.kind === "text") return `${column.sql} = ANY(${values.add(wanted)}::text[])`;
  if (column.kind === "number") return `${column.sql} = ANY(${values.add(wanted)}::float8[])`;
  const whole = wanted.filter(
    (value) => Number.isInteger(value) && Math.abs(Number(value)) <= INT_MAX,
  );
  return `${column.sql} = ANY(${values.add(whole)}::int[])`;
}

function compare(
  column: FilterColumn,
  op: Comparison,
  value: FilterValue,
  values: SqlValues,
): string {
  if (column.kind === "list") return compareList(column.sql, op, value, values);
  if (value === null) return `${column.sql} IS ${op === "=" ? "" : "NOT "}NULL`;
  if (op === "!~") return `(${compare(column, "~", value, values)}) IS NOT TRUE`;
  if (op === "~") {
    const place = values.add(likePattern(value));
    return column.kind === "text" && column.valuesLike
      ? `${column.sql} = ANY(ARRAY(${column.valuesLike(place)}))`
      : `${column.sql} ILIKE ${place}::text`;
  }
  if (column.kind === "integer") return compareInteger(column, op, Number(value), values);
  const type = column.kind === "number" ? "float8" : "text";
  return `${column.sql} ${SQL_OF[op]} ${values.add(value)}::${type}`;
}

function compareList(sql: string, op: Comparison, value: FilterValue, values: SqlValues): string {
  if (value === null) return `${sql} ${op === "=" ? "=" : "<>"} '{}'`;
  if (op === "!=" || op === "!~")
    return `(${compareList(sql, op === "!=" ? "=" : "~", value, values)}) IS NOT TRUE`;
  // A partial index holds the rows that have any: the first half says that it may be used.
  if (op === "=") return `${sql} <> '{}' AND ${sql} @> ARRAY[${values.add(value)}::text]`;
  const place = values.add(likePattern(value));
  return `${sql} <> '{}' AND EXISTS (SELECT 1 FROM unnest(${sql}) AS one WHERE one ILIKE ${place}::text)`;
}

/** A whole number is compared as one, so that an index serves; a broken one goes to the whole number beside it. */
function compareInteger(
  { sql, falling }: Extract<FilterColumn, { kind: "integer" }>,
  op: Exclude<Comparison, "~" | "!~">,
  value: number,
  values: SqlValues,
): string {
  const isWhole = Number.isInteger(value) && Math.abs(value) <= INT_MAX;
  if (!isWhole && (op === "=" || op === "!=")) return op === "=" ? "FALSE" : "TRUE";
  const [side, whole] = isWhole ? [op, value] : wholeBeside(op, value);
  const plain = `${sql} ${SQL_OF[side]} ${values.add(whole)}::int`;
  if (falling === undefined || side === "!=") return plain;
  return `${plain} AND ${falling} ${FALLING[side]} ${values.add(-whole)}::int`;
}

function wholeBeside(op: Comparison, value: number): ["<=" | ">=", number] {
  const isBelow = op === "<" || op === "<=";
  const whole = isBelow ? Math.floor(value) : Math.ceil(value);
  return [isBelow ? "<=" : ">=", Math.max(-INT_MAX, Math.min(INT_MAX, whole))];
}

/** `ILIKE`'s pattern for text that contains this, its own signs taken literally. */
export function likePattern(value: string | number): string {
  return `%${String(value).replace(/[\\%_]/g, "\\$&")}%`;
}
