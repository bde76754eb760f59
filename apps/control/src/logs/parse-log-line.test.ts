import { expect, test } from "vitest";
import { parseLogLine } from "#logs/parse-log-line.ts";

test("pino's JSON becomes level, time and text with the fields behind it", () => {
  expect(
    parseLogLine(
      12,
      '{"level":40,"time":1767225600000,"pid":1,"hostname":"h","name":"trainer","step":3,"msg":"slow"}',
    ),
  ).toEqual({
    offset: 12,
    at: "2026-01-01T00:00:00.000Z",
    level: "warn",
    text: "slow  step=3",
  });
});

test("an object's fields stand one by one behind the message", () => {
  const raw =
    '{"level":30,"result":{"outcome":"done","steps":15,"held":null,"of":{"a":[1,2]}},"msg":"run ended"}';
  expect(parseLogLine(0, raw).text).toBe(
    "run ended  result.outcome=done  result.steps=15  result.held=null  result.of.a=[1,2]",
  );
});

test("other lines stay as they are, without control sequences", () => {
  expect(parseLogLine(0, "\u001b[31mred\u001b[0m \u001b]52;c;aGk=\u0007plain")).toMatchObject({
    level: "unknown",
    at: null,
    text: "red plain",
  });
  expect(parseLogLine(0, '{"level":30')).toMatchObject({ level: "unknown", text: '{"level":30' });
});

test.each([
  [`Authorization: Bearer ${"a".repeat(43)}`, "Authorization: Bearer [redacted]"],
  [
    `POST /sess/run.s1.g0.r0-a1/${"Z".repeat(43)}/v1/chat/completions`,
    "POST /sess/run.s1.g0.r0-a1/[redacted]/v1/chat/completions",
  ],
  [
    "POST /sess/run.s1.g0.r0-a1/v1/chat/completions",
    "POST /sess/run.s1.g0.r0-a1/v1/chat/completions",
  ],
  [
    "LiveRL ready http://127.0.0.1:4400/start?code=abcDEF",
    "LiveRL ready http://127.0.0.1:4400/start?code=[redacted]",
  ],
  [`key ${"k".repeat(42)}_ end`, "key [redacted] end"],
])("takes secrets out of %s", (raw, text) => {
  expect(parseLogLine(0, raw).text).toBe(text);
});
