import { readFile } from "node:fs/promises";
import { LaunchSpec, launchFaults } from "@liverl/contract/launch";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { effectiveSpec } from "#launch/effective-spec.ts";

test("the spec that the documentation shows is one, and nothing in it stands in another's place", async () => {
  const place = new URL("../../../../docs/verl-example.yaml", import.meta.url);
  const text = await readFile(place, "utf8");
  const parsed = LaunchSpec.safeParse(parse(text));
  expect(parsed.success ? [] : launchFaults(parsed.error)).toEqual([]);
  if (parsed.success && parsed.data.driver !== "embedded")
    expect(effectiveSpec(parsed.data).shadows).toEqual([]);
});
