import type { ClientBase, Pool, QueryResult, QueryResultRow } from "pg";
import pg from "pg";

/** Arrays of smallint, integer, bigint and double precision: `pg_type.dat` of PostgreSQL's source. */
const NUMBER_ARRAYS = new Set([1005, 1007, 1016, 1022]);

/**
 * PostgreSQL's text of an array of numbers is JSON but for its braces and the case of null. Its own parser reads it character by
 * character, which was half of the work of a fold. What we store is always finite, and every bigint is one that a double holds.
 */
function parseNumbers(text: string): (number | null)[] {
  const inside = text.slice(1, -1);
  return JSON.parse(`[${inside.includes("N") ? inside.replaceAll("NULL", "null") : inside}]`);
}

const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    NUMBER_ARRAYS.has(oid) ? parseNumbers : pg.types.getTypeParser(oid, format),
};

/** A query whose rows have long lists of numbers. */
export function queryArrays<R extends QueryResultRow>(
  client: ClientBase | Pool,
  text: string,
  values: unknown[],
): Promise<QueryResult<R>> {
  return client.query<R>({ text, values, types } as pg.QueryConfig);
}

/** PostgreSQL's text of an array of numbers, in which null is NULL: unnest would flatten an array of arrays, text keeps them apart. */
export function arrayText(list: readonly (number | null)[]): string {
  return `{${JSON.stringify(list).slice(1, -1)}}`;
}
