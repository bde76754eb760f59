import { AppError } from "@liverl/contract/app-error";
import { ROLLOUT_FIELDS } from "@liverl/contract/filter/filter-fields";
import { Int32 } from "@liverl/contract/int32";
import { z } from "zod";
import type { FilterColumns } from "#filters/compile-filter.ts";
import type { SqlValues } from "#filters/sql-values.ts";

/** `-step`: a field of the filter language, with `-` before it the largest first. */
export const RolloutSort = z
  .string()
  .regex(/^-?[a-z]+$/)
  .refine((sort) => fieldOf(sort) !== undefined, {
    error: () =>
      `a field to sort by, with - before it for the largest first: ${SORTABLE.join(", ")}`,
  });
export const NEWEST = "-step";

/** Where a page ended: the row's key and what settles equal keys. */
const Place = z.tuple([z.string(), z.string(), Int32, z.string()]);
type Place = z.infer<typeof Place>;
const Cursor = z.object({ sort: z.string(), place: Place });

type KeyType = "text" | "int" | "float8";
/** What PostgreSQL reads as a key of the type. */
const KEYS: Record<KeyType, z.ZodType> = {
  text: z.string(),
  int: z.coerce.number().pipe(Int32),
  float8: z.union([z.enum(["Infinity", "-Infinity", "NaN"]), z.coerce.number()]),
};

/** Lists have no order. */
const SORTABLE = ROLLOUT_FIELDS.filter(({ kind }) => kind !== "list").map(({ name }) => name);

function fieldOf(sort: string) {
  return SORTABLE.find((name) => name === sort.replace(/^-/, ""));
}

export interface RolloutOrder {
  /** The sort key as text, so that infinity travels, too. */
  key: string;
  orderBy: string;
  /** The condition that a row comes after the page that a cursor ends. Throws BAD_REQUEST where it is of another order. */
  after: (cursor: string, values: SqlValues) => string;
  /** The cursor of a page that ends at a place. */
  cursorAt: (place: Place) => string;
}

/**
 * An order of columns that all run in one direction, so that a page goes on by one comparison of rows. Numbers fall by their
 * negatives; a row without a value comes last. In the table's own order, which has an index, groups stand by the number at the end of
 * their ids; in others that would be worked out for each row.
 */
export function rolloutOrder(sort: string, columns: FilterColumns): RolloutOrder {
  const name = fieldOf(sort);
  const column = name === undefined ? undefined : columns[name];
  if (!column) throw new AppError("BAD_REQUEST", { userMessage: `There is no order ${sort}.` });
  const isFalling = sort.startsWith("-");
  const { expression, type, way, isIndexed } = keyOf(column, isFalling);
  const columnsOf = [
    expression,
    ...(isIndexed ? [numberOf("group_id")] : []),
    ...["group_id", "index", "rollout_id"],
  ];
  return {
    key: `(${expression})::text`,
    orderBy: columnsOf.map((one) => `${one} ${way}`).join(", "),
    after: (cursor, values) => {
      const [key, group, index, id] = readCursor(cursor, sort, type);
      const groupId = `${values.add(group)}::text`;
      const places = [
        `${values.add(key)}::${type}`,
        ...(isIndexed ? [numberOf(groupId)] : []),
        groupId,
        `${values.add(index)}::int`,
        `${values.add(id)}::text`,
      ];
      return `(${columnsOf.join(", ")}) ${way === "ASC" ? ">" : "<"} (${places.join(", ")})`;
    },
    cursorAt: (place) => writeCursor({ sort, place }),
  };
}

/** As the index has it, digit by digit. */
const numberOf = (groupId: string) =>
  `COALESCE(substring(${groupId} FROM '\\d{1,18}$')::bigint, 0)`;

function keyOf(
  column: FilterColumns[string],
  isFalling: boolean,
): { expression: string; type: KeyType; way: "ASC" | "DESC"; isIndexed?: true } {
  if (column.kind === "text" || column.kind === "list")
    return {
      expression: `COALESCE(${column.sql}, '')`,
      type: "text",
      way: isFalling ? "DESC" : "ASC",
    };
  if (column.kind === "integer" && column.falling !== undefined && isFalling)
    return { expression: column.falling, type: "int", way: "ASC", isIndexed: true };
  const sign = isFalling ? "-" : "";
  const sql = column.kind === "number" ? (column.order ?? column.sql) : column.sql;
  return {
    expression: `COALESCE(${sign}(${sql})::float8, 'Infinity')`,
    type: "float8",
    way: "ASC",
  };
}

const writeCursor = (cursor: z.infer<typeof Cursor>) =>
  Buffer.from(JSON.stringify(cursor)).toString("base64url");

function readCursor(cursor: string, sort: string, type: KeyType): Place {
  const read = parseCursor(cursor);
  if (read !== null && read.sort !== sort)
    throw new AppError("BAD_REQUEST", {
      userMessage: `This cursor is of the order ${read.sort}: ask for that one, or begin again without a cursor.`,
    });
  if (read !== null && KEYS[type].safeParse(read.place[0]).success) return read.place;
  throw new AppError("BAD_REQUEST", {
    userMessage: "This cursor is of no page: begin again without one.",
  });
}

function parseCursor(cursor: string): z.infer<typeof Cursor> | null {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch {
    return null;
  }
}
