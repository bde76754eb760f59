import type { CleanPlan } from "@liverl/contract/clean-run";
import { expect, test } from "vitest";
import { prepareClean } from "#runs/prepare-clean.ts";

const PLAN: CleanPlan = {
  ...{ processes: ["trainer"], leftovers: { files: 1, bytes: 1_000 } },
  ...{ logs: { files: 0, bytes: 0 }, trials: { files: 1_234, bytes: 5_000_000 } },
  pods: [
    { name: "a", isOurs: true, phase: "Running" },
    { name: "b", isOurs: false, phase: null },
  ],
  podsFault: null,
};
const WISH = { logs: false, trials: false, pods: false, force: false };

test("what is there is counted, and others' pods come after one's own", () => {
  const { always, choices } = prepareClean(PLAN, WISH);
  expect(always).toBe("Processes left: trainer; Hydra left 1 file, 1.0 kB.");
  expect(choices.map(({ id, about, isPossible }) => [id, about, isPossible])).toEqual([
    ["logs", "What its processes printed: none", true],
    [
      "trials",
      "Trajectories, tokens and files, which can not be had again: 1,234 files, 5.0 MB",
      true,
    ],
    ["pods", "Of sandboxes that no attempt owns: 1", true],
    ["force", "1, by their labels", false],
  ]);
  expect(prepareClean(PLAN, { ...WISH, pods: true }).choices[3]?.isPossible).toBe(true);
});

test("without a cluster the reason stands where the count would", () => {
  const { choices } = prepareClean({ ...PLAN, pods: [], podsFault: "No cluster." }, WISH);
  expect(choices.at(-1)).toMatchObject({ id: "pods", about: "No cluster.", isPossible: false });
  expect(prepareClean(null, WISH).choices.map(({ isPossible }) => isPossible)).toEqual([
    ...[true, true, false],
  ]);
});
