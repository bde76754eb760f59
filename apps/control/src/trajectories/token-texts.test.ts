import { expect, test } from "vitest";
import type { TokenBytes } from "#trajectories/open-tokenizer.ts";
import { tokenTexts } from "#trajectories/token-texts.ts";

const tokenizer = (tokens: readonly (readonly number[])[]): TokenBytes => ({
  bytesOf: (id) => Uint8Array.from(tokens[id] ?? []),
});
const bytes = (text: string) => [...Buffer.from(text)];

test("a character that a token does not finish reads byte by byte", () => {
  const [first, second, third] = bytes("€");
  const texts = tokenTexts(
    tokenizer([bytes("price "), [...bytes("5"), first!, second!], [third!, ...bytes(" é")]]),
    [0, 1, 2],
  );
  expect(texts).toEqual(["price ", "5\\xE2\\x82", "\\xAC é"]);
});

test("without a tokenizer the ids are shown", () => {
  expect(tokenTexts(null, [7, 8])).toEqual(["⟨7⟩", "⟨8⟩"]);
});
