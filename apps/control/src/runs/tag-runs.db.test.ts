import { afterAll, beforeAll, expect, test } from "vitest";
import { listRuns } from "#runs/list-runs.ts";
import { TagRuns, tagRuns } from "#runs/tag-runs.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
  for (const id of ["a-01", "b-01"])
    await control.ctx.db.run.create({
      data: {
        ...{ id, name: id, project: "tagged", status: "running", driver: "attached", color: 1 },
        tags: id === "b-01" ? ["of the tracker"] : [],
      },
    });
});
afterAll(() => control.close());

const tag = (input: Record<string, unknown>) => tagRuns(control.ctx, TagRuns.parse(input));
const tagsOf = async (id: string) =>
  (await control.ctx.db.run.findUniqueOrThrow({ where: { id } })).tags;

test("tags are added and taken away, a repeat changes nothing, and the filter finds them", async () => {
  const told: string[] = [];
  control.ctx.live.on("run", (id) => told.push(id));
  const ids = ["a-01", "b-01"];
  expect(await tag({ ids, add: ["baseline", "v2"] })).toEqual({ changed: 2 });
  expect(told.sort()).toEqual(["a-01", "b-01"]);
  expect(await tag({ ids: ["a-01"], add: ["v2"] })).toEqual({ changed: 0 });
  expect(await tagsOf("a-01")).toEqual(["baseline", "v2"]);
  expect(await tag({ ids: ["b-01"], remove: ["of the tracker", "v2"] })).toEqual({ changed: 1 });
  expect(await tagsOf("b-01")).toEqual(["baseline"]);
  const { runs } = await listRuns(control.ctx, { project: "tagged", f: "tag = v2", limit: 10 });
  expect(runs.map(({ id }) => id)).toEqual(["a-01"]);
});

test("of many who tag one run at once all are heard", async () => {
  await tag({ ids: ["a-01"], remove: await tagsOf("a-01") });
  const words = Array.from({ length: 12 }, (_, at) => `word-${at}`);
  await Promise.all(
    words.map((word, at) =>
      tag({ ids: at % 2 ? ["a-01", "b-01"] : ["b-01", "a-01"], add: [word] }),
    ),
  );
  expect((await tagsOf("a-01")).sort()).toEqual([...words].sort());
});

test("a run that is not there, or one tag too many, changes nothing", async () => {
  const before = await tagsOf("a-01");
  await expect(tag({ ids: ["a-01", "gone-01"], add: ["v3"] })).rejects.toThrow(/no run gone-01/);
  const many = Array.from({ length: 95 }, (_, at) => `many-${at}`);
  await control.ctx.db.run.update({ where: { id: "b-01" }, data: { tags: many } });
  const more = Array.from({ length: 6 }, (_, at) => `more-${at}`);
  await expect(tag({ ids: ["a-01", "b-01"], add: more })).rejects.toThrow(
    /100 tags at most, and 1 /,
  );
  expect(await tagsOf("a-01")).toEqual(before);
});

test("a tag is a word", () => {
  expect(TagRuns.safeParse({ ids: ["a-01"], add: ["two words"] }).success).toBe(false);
  expect(TagRuns.safeParse({ ids: [], add: ["v2"] }).success).toBe(false);
  expect(TagRuns.safeParse({ ids: ["a-01"] }).success).toBe(false);
  expect(TagRuns.safeParse({ ids: ["a-01"], add: ["v2"], remove: ["v2"] }).success).toBe(false);
});
