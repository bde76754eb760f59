import * as fc from "fast-check";
import { expect, it, vi } from "vitest";
import { TokenPrompt } from "#backends/token-prompt.ts";

it("is JSON of all ids, however they lie in parts", () => {
  void fc.assert(
    fc.property(
      fc.array(fc.array(fc.nat(200_000), { maxLength: 5 }), { maxLength: 6 }),
      (parts) => {
        const prompt = new TokenPrompt(parts);
        const body = prompt.jsonBetween('{"token_ids":[', '],"stream":true}').toString();
        expect(JSON.parse(body)).toEqual({ token_ids: parts.flat(), stream: true });
        expect(prompt.ids()).toEqual(parts.flat());
        expect(prompt.length).toBe(parts.flat().length);
      },
    ),
  );
});

it("formats no id twice, however many turns repeat it", () => {
  const held = [1, 2, 3];
  const format = vi.spyOn(held, "reduce");
  const bodies = [[], [4], [4, 5]].map((rest) =>
    new TokenPrompt([held, rest]).jsonBetween("[", "]").toString(),
  );
  expect(bodies).toEqual(["[1,2,3]", "[1,2,3,4]", "[1,2,3,4,5]"]);
  expect(format).toHaveBeenCalledOnce();
});
