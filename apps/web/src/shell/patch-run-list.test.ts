import type { RunSummary } from "@liverl/contract/run";
import { expect, test } from "vitest";
import { patchRunList, runsOf } from "#shell/patch-run-list.ts";

const run = (id: string, step: number) => ({ id, step }) as RunSummary;
const page = (...ids: string[]) => ({ runs: ids.map((id) => run(id, 1)), total: 3 });

test("a newer summary takes its place in a list and on whichever page it stands", () => {
  const list = patchRunList(page("a", "b"), run("b", 2));
  expect(runsOf(list).map(({ step }) => step)).toEqual([1, 2]);
  const pages = { pages: [page("a", "b"), page("c")], pageParams: [null, "x"] };
  const patched = patchRunList(pages, run("c", 2));
  expect(runsOf(patched).map(({ step }) => step)).toEqual([1, 1, 2]);
  expect(patched).toMatchObject({ pages: [pages.pages[0], { total: 3 }], pageParams: [null, "x"] });
});

test("a list without the run stays the same object", () => {
  const pages = { pages: [page("a")], pageParams: [null] };
  expect(patchRunList(pages, run("z", 2))).toBe(pages);
  expect(patchRunList(undefined, run("z", 2))).toBeUndefined();
});
