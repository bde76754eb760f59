import { readFile } from "node:fs/promises";
import { LaunchSpec, launchFaults } from "@liverl/contract/launch";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { effectiveSpec } from "#launch/effective-spec.ts";

test("the spec that the documentation shows is one, and nothing in it stands in another's place", async () => {
  const page = await readFile(new URL("../../../../docs/verl.md", import.meta.url), "utf8");
  const [, text = ""] = /```yaml\n(driver: [\s\S]*?)```/.exec(page) ?? [];
  const parsed = LaunchSpec.safeParse(parse(text));
  expect(parsed.success ? [] : launchFaults(parsed.error)).toEqual([]);
  if (parsed.success && parsed.data.driver !== "embedded")
    expect(effectiveSpec(parsed.data).shadows).toEqual([]);
});
