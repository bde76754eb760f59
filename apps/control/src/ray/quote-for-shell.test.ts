import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { quoteForShell } from "#ray/quote-for-shell.ts";

/** What a real shell makes of the line: its words, each ended by a NUL. */
function wordsOf(line: string): string[] {
  const output = execFileSync("sh", ["-c", line], { encoding: "buffer" });
  return output.toString("utf8").split("\0").slice(0, -1);
}
const PRINT = ["/usr/bin/env", "printf", "%s\\0"];

test("a real sh takes the line for just these words", () => {
  const word = fc.oneof(
    fc.string({ unit: "binary", minLength: 1 }).filter((text) => !text.includes("\0")),
    fc.constantFrom(
      "$(id)",
      "`id`",
      "a\nb",
      "'",
      "''",
      '"',
      "\\",
      "-rf",
      "*",
      "~",
      "A=b",
      "#x",
      "!!",
      "${HOME}",
      "&& id",
      "",
    ),
    fc
      .array(fc.constantFrom("'", '"', "\\", "$", "`", "\n", " ", ";", "é", "=", "["))
      .map((all) => all.join("")),
  );
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), (argv) => {
      expect(wordsOf(quoteForShell([...PRINT, ...argv]))).toEqual(argv);
    }),
    { numRuns: 150 },
  );
});

test("an override stays readable, a first word is never a keyword or an assignment", () => {
  expect(quoteForShell(["python3", "trainer.n=1", "a=[b,'c']"])).toBe(
    "'python3' trainer.n=1 'a=[b,'\\''c'\\'']'",
  );
  expect(quoteForShell(["A=b"])).toBe("'A=b'");
});

test("what no command line holds is refused with what to do", () => {
  expect(() => quoteForShell(["a\0b"])).toThrow(/NUL/);
  expect(() => quoteForShell(["x".repeat(140_000)])).toThrow(/131071 is the most/);
});
