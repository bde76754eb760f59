import { readFileSync } from "node:fs";
import { LaunchSpec } from "@liverl/contract/launch";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { VERL_DEFAULTS } from "#launch/verl-defaults.ts";
import { VERL_KEYS } from "#launch/verl-keys.ts";

const verl: Record<string, unknown> = parse(
  readFileSync(new URL("__fixtures__/verl-0.9.1-defaults.yaml", import.meta.url), "utf8"),
);
/** Where a spec must say more than verl does. */
const OURS: Record<string, { verl: unknown; ours: unknown }> = {
  "rollout.name": { verl: "???", ours: "vllm" },
  "layout.rollout_n_gpus_per_node": {
    verl: `\${${"oc.select:trainer.n_gpus_per_node,8"}}`,
    ours: 8,
  },
  "trainer.total_training_steps": { verl: null, ours: 100 },
};

test.each(VERL_DEFAULTS.map((spec) => [spec.driver, spec] as const))(
  "%s begins with verl's own values",
  (_driver, spec) => {
    expect(LaunchSpec.parse(spec)).toEqual(spec);
    for (const [path, [key]] of Object.entries(VERL_KEYS)) {
      const [section = "", name = ""] = path.split(".");
      const value = (spec as unknown as Record<string, Record<string, unknown>>)[section]?.[name];
      const apart = OURS[path];
      expect(verl, path).toHaveProperty([key]);
      if (apart) expect({ verl: verl[key], ours: value }, path).toEqual(apart);
      else if (Array.isArray(value)) expect(value, path).toEqual([verl[key]]);
      else expect(value, path).toEqual(verl[key]);
    }
  },
);

test("a path of the key table is a value of the spec, and no value of verl's config is said twice", () => {
  const keys = Object.values(VERL_KEYS).flat();
  expect(new Set(keys).size).toBe(keys.length);
});
