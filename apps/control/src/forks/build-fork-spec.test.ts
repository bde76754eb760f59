import { expect, test } from "vitest";
import { fromCheckpoint, fromWeights } from "#forks/build-fork-spec.ts";
import { beginningOf, findOrigin } from "#forks/find-origin.ts";
import { launchSpec, verlSpec } from "#testing/factories.ts";

const PATH = "/data/runs/a-01/checkpoints/global_step_3";

test("a spec that goes on from a checkpoint, whatever its overrides said", () => {
  const spec = verlSpec("/venv", {
    overrides: { "trainer.resume_mode": "disable", "trainer.device": "cpu" },
  });
  const fork = fromCheckpoint(spec, PATH, 3);
  expect(fork.trainer).toMatchObject({
    resume_mode: "resume_path",
    resume_from_path: PATH,
    total_training_steps: 4,
  });
  expect("overrides" in fork && fork.overrides).toEqual({ "trainer.device": "cpu" });
  expect(beginningOf(fork)).toEqual({ how: "resume", path: PATH });
  const long = { ...spec, overrides: { "++trainer.total_training_steps": 9 } };
  expect(fromCheckpoint(long, PATH, 3)).toMatchObject({
    trainer: { total_training_steps: 9 },
    overrides: {},
  });
  // The plan would be over at once.
  expect(fromCheckpoint(spec, PATH, 4).trainer.total_training_steps).toBe(8);
});

test("a spec with the weights alone", () => {
  const spec = verlSpec("/venv", { overrides: { "actor_rollout_ref.model.path": "/other" } });
  const fork = fromWeights(spec, `${PATH}/hf`);
  expect(fork.trainer).toMatchObject({ resume_mode: "auto", resume_from_path: null });
  expect(beginningOf(fork)).toEqual({ how: "weights", path: `${PATH}/hf` });
});

test("embedded", () => {
  expect(beginningOf(launchSpec())).toBeNull();
  expect(beginningOf(fromCheckpoint(launchSpec(), PATH, 1))).toEqual({ how: "resume", path: PATH });
});

test.each([
  [PATH, { runId: "a-01", step: 3 }],
  [`${PATH}/hf`, { runId: "a-01", step: 3 }],
  ["/data/runs/a-01/checkpoints/../checkpoints/global_step_3/", { runId: "a-01", step: 3 }],
  ["/data/runs/../x/checkpoints/global_step_3", null],
  ["/data/runs/a-01/checkpoints/global_step_3x", null],
  ["/models/global_step_3", null],
])("the run and step of %s", (path, origin) => {
  expect(findOrigin("/data", { path })).toEqual(origin);
});
