import { expect, test } from "vitest";
import { z } from "zod";
import { listOperations } from "#api/list-operations.ts";
import { OTHER_ROUTES } from "#api/openapi/other-routes.ts";

/**
 * Text that a read may take, by the name of the field, and why it leads nowhere: it opens no path, calls no address and
 * starts no program. A field that is not here fails the test: look at what is done with it before you add it.
 */
const REVIEWED: Record<string, string> = {
  ...reviewed("the key of a row; a folder is found only for a row that is there", [
    ...["id", "runId", "rolloutId", "sessionId", "groupId", "vs", "key", "ids"],
  ]),
  ...reviewed("compared with what rows hold", [
    ...["project", "name", "base", "task", "column", "keys", "like", "query", "q"],
  ]),
  ...reviewed("parsed to columns and SQL parameters", ["f", "sort"]),
  ...reviewed("a position that an answer gave", ["lastEventId", "cursor"]),
};

/** The same for fields of one operation whose name alone says too little. */
const REVIEWED_IN: Record<string, string> = {
  "trajectory.file.path": "relative to the folder of one trial; links and dots do not leave it",
  "log.read.source": "one of the names that log.sources gave",
  "log.tail.source": "one of the names that log.sources gave",
};

function reviewed(why: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, why]));
}

interface Leaf {
  path: string;
  name: string;
}

/** Fields of an input that may hold any text, and those that may hold anything at all. */
function openFields(schema: z.core.$ZodType, path: string, name: string): Leaf[] {
  const { def } = schema._zod as { def: Def };
  switch (def.type) {
    case "string":
    case "unknown":
    case "any":
    case "custom":
    case "file":
      return [{ path, name: def.type === "string" ? name : `${name} (anything)` }];
    case "object":
      return Object.entries(def.shape ?? {}).flatMap(([key, field]) =>
        openFields(field, `${path}.${key}`, key),
      );
    case "array":
      return def.element ? openFields(def.element, `${path}[]`, name) : [];
    case "tuple":
      return (def.items ?? []).flatMap((item, i) => openFields(item, `${path}[${i}]`, name));
    case "record":
      return [{ path, name: `${name} (a record)` }];
    case "union":
      return (def.options ?? []).flatMap((option) => openFields(option, path, name));
    case "intersection":
      return [def.left, def.right].flatMap((side) => (side ? openFields(side, path, name) : []));
    case "pipe":
      return def.in ? openFields(def.in, path, name) : [];
    case "lazy":
      return [{ path, name: `${name} (anything)` }];
    case "number":
    case "int":
    case "boolean":
    case "enum":
    case "literal":
    case "null":
    case "date":
    case "bigint":
    case "undefined":
    case "never":
    case "void":
      return [];
    default:
      if (def.innerType) return openFields(def.innerType, path, name);
      throw new Error(`${path}: teach this walk the schema ${def.type}`);
  }
}

interface Def {
  type: string;
  shape?: Record<string, z.core.$ZodType>;
  element?: z.core.$ZodType;
  items?: z.core.$ZodType[];
  options?: z.core.$ZodType[];
  left?: z.core.$ZodType;
  right?: z.core.$ZodType;
  in?: z.core.$ZodType;
  innerType?: z.core.$ZodType;
}

const notReviewed = (leaves: Leaf[]) =>
  leaves
    .filter(({ path, name }) => REVIEWED[name] === undefined && REVIEWED_IN[path] === undefined)
    .map(({ path }) => path);

test("no read takes a path, an address or a program", () => {
  const reads = listOperations().filter(({ kind }) => kind !== "mutation");
  expect(reads.length).toBeGreaterThan(40);
  const open = reads.flatMap(({ name, input }) =>
    input === null ? [] : openFields(input, name, name),
  );
  expect(notReviewed(open)).toEqual([]);
});

test("nor does a route beside the router", () => {
  const open = OTHER_ROUTES.filter(({ scope }) => scope === "read").flatMap(
    ({ name, parameters = [], body }) => [
      ...parameters.flatMap((one) => openFields(one.schema, `${name}.${one.name}`, one.name)),
      ...(body ? openFields(body, name, name) : []),
    ],
  );
  expect(notReviewed(open)).toEqual([]);
});

test("what was reviewed is still there", () => {
  const names = listOperations().flatMap(({ name, input }) =>
    input === null ? [] : openFields(input, name, name).map(({ path }) => path),
  );
  for (const path of Object.keys(REVIEWED_IN)) expect(names).toContain(path);
});

test("the walk finds what it looks for", () => {
  const field = z.object({ a: z.array(z.object({ path: z.string().min(1).nullable() })) });
  expect(openFields(field, "x", "x")).toEqual([{ path: "x.a[].path", name: "path" }]);
  const anything = z.object({ spec: z.unknown().optional() });
  expect(openFields(anything, "x", "x")).toEqual([{ path: "x.spec", name: "spec (anything)" }]);
  const url = z.union([z.number(), z.url().default("http://a")]);
  expect(openFields(url, "x", "url")).toEqual([{ path: "x", name: "url" }]);
});

test("what a read takes is asked by GET, and what plans a launch is no read", () => {
  const plan = listOperations().find(({ name }) => name === "launch.plan");
  expect(plan).toMatchObject({ kind: "mutation", method: "POST" });
});
