import fc from "fast-check";
import { expect, it } from "vitest";
import { stripTagged } from "#tree/strip-tagged.ts";

it("takes away what the expression would", () => {
  const text = fc
    .array(fc.constantFrom("<t>", "</t>", "a", "<t", "\n"))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (given) => {
      expect(stripTagged(given, "<t>", "</t>")).toBe(given.replace(/<t>[\s\S]*?<\/t>/g, ""));
    }),
  );
});

it("is done at once with opens that nothing closes", () => {
  const text = `<t>a</t>${"<t>".repeat(400_000)}`;
  const began = performance.now();
  expect(stripTagged(text, "<t>", "</t>")).toHaveLength(1_200_000);
  expect(performance.now() - began).toBeLessThan(500);
});
