import { expect, test } from "vitest";
import { formatTable } from "#output/format-table.ts";
import { bytes, duration, number, percent, time } from "#output/format-value.ts";
import { openIo } from "#output/io.ts";
import { plainText } from "#output/plain-text.ts";

test("columns are aligned, numbers at the right, and nothing is a dash", () => {
  const rows = [
    { name: "ä", count: 5 },
    { name: "longer\nname", count: null },
  ];
  expect(
    formatTable(rows, [
      { title: "NAME", of: ({ name }) => name },
      { title: "COUNT", of: ({ count }) => count, right: true },
    ]),
  ).toEqual(["NAME         COUNT", "ä                5", "longer name      –"]);
  expect(formatTable([], [{ title: "NAME", of: () => "" }])).toEqual(["(none)"]);
});

test.each([
  [number(0), "0"],
  [number(12345), "12345"],
  [number(0.123456), "0.1235"],
  [number(1e-9), "1.000e-9"],
  [number(Number.NaN), null],
  [percent(0.1234), "12.3 %"],
  [percent(null), null],
  [bytes(0), "0 B"],
  [bytes(999), "999 B"],
  [bytes(2_600_000), "2.6 MB"],
  [bytes(5e18), "5000.0 PB"],
  [duration(4.25), "4.3 s"],
  [duration(200), "3 m 20 s"],
  [duration(3720), "1 h 02 m"],
  [time("2026-01-02T03:04:05.678Z"), "2026-01-02 03:04:05"],
])("%s is written %s", (written, expected) => expect(written).toBe(expected));

test("nothing that an agent printed moves the terminal's cursor", () => {
  expect(plainText("a\x1b[2J\x9b1mb\r\x07\tc\n")).toBe("a\\x1b[2J\\x9b1mb\\x0d\\x07\tc\n");
});

test.each([
  [true, { out: '{"a":1}\n', err: "told\nshown\n" }],
  [false, { out: "shown\nfor people\n", err: "told\n" }],
])("with --json %s stdout has what it should", (isJson, expected) => {
  const said = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    write: (text: string) => {
      said[name] += text;
    },
  });
  const io = openIo(isJson, { stdout: stream("out"), stderr: stream("err") });
  io.say("told");
  io.show("shown");
  io.finish({ answer: { a: 1 }, lines: ["for people"] });
  expect(said).toEqual(expected);
});
