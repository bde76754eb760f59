import { expect, it } from "vitest";
import { ERROR_HOURS, prepareErrors } from "#sandboxes/read-errors.ts";

const row = (type: string, ago: number, count: number) => ({
  type,
  ago,
  count,
  at: new Date(`2026-01-01T${String(23 - ago).padStart(2, "0")}:00:00Z`),
  message: `${type} ${ago} h ago`,
  rolloutId: `${type}-${ago}`,
  runId: "run",
  project: ago === 0 ? "p" : null,
});

it("tells each type by the hour with its newest, the most frequent first", () => {
  const errors = prepareErrors([row("Late", 0, 1), row("Late", 5, 2), row("Lost", 2, 4)]);
  expect(errors.map(({ type, count }) => [type, count])).toEqual([
    ["Lost", 4],
    ["Late", 3],
  ]);
  const [, late] = errors;
  expect(late?.hourly).toHaveLength(ERROR_HOURS);
  expect(late?.hourly.at(-1)).toBe(1);
  expect(late?.hourly.at(-6)).toBe(2);
  expect(late?.last).toMatchObject({ message: "Late 0 h ago", run: { id: "run", project: "p" } });
  expect(errors[0]?.last.run).toBeNull();
});
