import type { RolloutRow } from "@liverl/contract/views";
import { expect, test } from "vitest";
import { columnsOf, ROLLOUT_COLUMNS, tracksOf } from "#rollouts/rollout-columns.ts";

const row = (rest: Partial<RolloutRow>) =>
  ({ integrityKinds: [], tags: [], note: null, ...rest }) as unknown as RolloutRow;

test("a column that no row fills is left out", () => {
  const labels = (rows: RolloutRow[]) => columnsOf(rows).map(({ label }) => label);
  const all = ROLLOUT_COLUMNS.map(({ label }) => label);
  const without = (...names: string[]) => all.filter((label) => !names.includes(label));
  expect(labels([row({})])).toEqual(without("Flags", "Tags", "Stage", "Idle"));
  const running = row({ status: "running" });
  expect(labels([running])).toEqual(without("Flags", "Tags", "Ended"));
  expect(labels([running, row({})])).toEqual(without("Flags", "Tags"));
  expect(labels([row({}), row({ tags: ["suspect"] })])).toContain("Tags");
  expect(labels([row({ note: "look" })])).toContain("Tags");
  expect(labels([row({ integrityKinds: ["token-mismatch"] as never })])).toContain("Flags");
});

test("with one of the two lists the table fits a window of 1440 pixels beside the rail", () => {
  const room = 1440 - 196 - 2 * 16 - 2;
  expect(tracksOf(columnsOf([row({ tags: ["a"] })])).minPx).toBeLessThanOrEqual(room);
  const { template } = tracksOf(ROLLOUT_COLUMNS);
  expect(template.match(/\d+px/g)).toHaveLength(ROLLOUT_COLUMNS.length + 1);
});
