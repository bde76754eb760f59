import type { RunConfig } from "@liverl/contract/run-config";
import { expect, test } from "vitest";
import { prepareConfig } from "#run-config/prepare-config.ts";

const ALONE: RunConfig = {
  values: [
    { path: "optim.lr", value: 0.5, source: "override", was: 0.001, differs: false },
    { path: "batch.n", value: 4, source: "preset", was: 4, differs: false },
    { path: "extra", value: "", source: "override", differs: false },
  ],
  base: { kind: "preset", id: "quickstart", label: "Quickstart" },
  vs: null,
};
const AGAINST: RunConfig = {
  ...ALONE,
  vs: { label: "other", runId: "other-01" },
  values: [
    { path: "optim.lr", value: 0.5, source: "override", was: 0.001, other: 0.5, differs: false },
    { path: "batch.n", value: 4, source: "preset", was: 4, other: 8, differs: true },
    { path: "gone", source: null, other: [1], differs: true },
  ],
};
const paths = (config: RunConfig, search: string, onlyChanged: boolean) =>
  prepareConfig(config, { search, onlyChanged }).rows.map(({ path }) => path);

test("alone, what changed is what the launch said", () => {
  expect(paths(ALONE, "", true)).toEqual(["optim.lr", "extra"]);
  expect(prepareConfig(ALONE, { search: "", onlyChanged: false })).toMatchObject({
    ...{ total: 3, changed: 2 },
    rows: [{ text: "0.5", wasText: "0.001" }, { wasText: null }, { text: '""', wasText: null }],
  });
});

test("against another, what changed is what differs, gone values among them", () => {
  expect(paths(AGAINST, "", true)).toEqual(["batch.n", "gone"]);
  const { rows } = prepareConfig(AGAINST, { search: "gone", onlyChanged: false });
  expect(rows).toMatchObject([{ text: "—", otherText: "[1]" }]);
});

test("paths and values are searched", () => {
  expect(paths(AGAINST, "BATCH", false)).toEqual(["batch.n"]);
  expect(paths(AGAINST, "8", false)).toEqual(["batch.n"]);
  expect(paths(AGAINST, "nothing", false)).toEqual([]);
});
