import { expect, test } from "vitest";
import { parseYamlLines } from "#run-config/parse-yaml-lines.ts";

const yaml = "project: quickstart\nbatch:\n  n: 8\n# note\n";

test("keys are set apart and nothing is lost", () => {
  const lines = parseYamlLines(yaml);
  expect(lines.map(({ key }) => key)).toEqual(["project", "batch", "n", null]);
  expect(lines.map(({ indent, key, rest }) => `${indent}${key ?? ""}${rest}`).join("\n")).toBe(
    yaml.trimEnd(),
  );
});

test("keys of Hydra, with dots and signs, are keys too", () => {
  const [line] = parseYamlLines("  +actor_rollout_ref.actor.checkpoint.async_save: false");
  expect(line?.key).toBe("+actor_rollout_ref.actor.checkpoint.async_save");
});
