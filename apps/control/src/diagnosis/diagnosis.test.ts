import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { diagnose } from "#diagnosis/diagnose.ts";

/** `##### name -> id` before each log; `unknown: text` where no rule may claim it, `none` where nothing is wrong. */
function logsOf(file: string) {
  const text = readFileSync(new URL(`__fixtures__/${file}.txt`, import.meta.url), "utf8");
  return text
    .split(/^##### /m)
    .slice(1)
    .map((part) => {
      const [head = "", ...lines] = part.split("\n");
      const [name = "", expected = ""] = head.split(" -> ");
      return { name, expected, log: lines.join("\n") };
    });
}

describe.each(["tuned", "held-out", "fresh"])("%s logs", (file) => {
  test.each(logsOf(file))("$name: $expected", ({ expected, log }) => {
    const diagnosis = diagnose(log);
    const said = diagnosis === null ? "none" : (diagnosis.id ?? `unknown: ${diagnosis.error}`);
    if (expected.startsWith("unknown: ")) {
      expect(said).toMatch(/^unknown: /);
      expect(said).toContain(expected.slice(9));
    } else expect(said).toBe(expected);
    expect(`${diagnosis?.cause} ${diagnosis?.fix}`).not.toMatch(/\$\d/);
  });
});
