import { AppError } from "@liverl/contract/app-error";
import { type RunSortField, readRunSort } from "@liverl/contract/list-runs";
import { z } from "zod";
import type { SqlValues } from "#filters/sql-values.ts";
import { RUN_COLUMNS } from "#runs/run-columns.ts";

/** Where a page ended: the run's key as text, so that each bit of a number travels, its age, and its id. */
const Place = z.tuple([z.string().nullable(), z.number(), z.string()]);
type Place = z.infer<typeof Place>;

/** An order over rows with the columns `key`, `age` and `id`. */
export interface RunOrder {
  key: string;
  age: string;
  orderBy: string;
  /** The condition that a row comes after a place. */
  after: (place: Place, values: SqlValues) => string;
}

/** Seconds by which a run is younger than another; both of them to the millisecond. */
const AGE = "(-EXTRACT(EPOCH FROM COALESCE(run.started_at, run.created_at))::float8)";

/** By the key in its direction, a run without one last; then the newest; then by id, so that no two rows are equal. */
export function runOrder(sort: string): RunOrder {
  const read = readRunSort(sort);
  const found = read && keyOf(read.field);
  if (!found) throw new AppError("BAD_REQUEST", { userMessage: `There is no order ${sort}.` });
  const { sql, type } = found;
  const [way, beyond] = read.isFalling ? ["DESC", "<"] : ["ASC", ">"];
  return {
    key: sql,
    age: AGE,
    orderBy: `key ${way} NULLS LAST, age, id`,
    after: ([key, age, id], values) => {
      const younger = `(age, id) > (${values.add(age)}::float8, ${values.add(id)}::text)`;
      if (key === null) return `(key IS NULL AND ${younger})`;
      const place = `${values.add(key)}::${type}`;
      return `(key IS NULL OR key ${beyond} ${place} OR (key = ${place} AND ${younger}))`;
    },
  };
}

function keyOf(field: RunSortField): { sql: string; type: "text" | "float8" } | null {
  if (field === "started") return { sql: `(-${AGE})`, type: "float8" };
  const column = RUN_COLUMNS[field];
  if (!column) return null;
  // Letter case left aside, as people read a list.
  if (column.kind === "text" || column.kind === "list")
    return { sql: `lower(${column.sql})`, type: "text" };
  return { sql: `(${column.sql})::float8`, type: "float8" };
}

export function writeRunCursor(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

export function readRunCursor(cursor: string): Place {
  try {
    return Place.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch {
    throw new AppError("BAD_REQUEST", {
      userMessage: "This cursor is of no page: begin again without one.",
    });
  }
}
