import { expect, test } from "vitest";
import { countWords } from "#metrics/count-words.ts";

const group = (panels: number, found: number, total: number, pinned = 0) => ({
  ...{ panels: new Array(panels).fill(null), found, total, pinned },
});

test("a section counts panels, and its metrics where panels hold several", () => {
  expect(countWords(group(3, 12, 12, 1))).toBe("3 panels · 12 metrics, 1 panel pinned");
  expect(countWords(group(2, 2, 2))).toBe("2 panels");
  expect(countWords(group(1, 2, 2, 1))).toBe("1 panel, 1 panel pinned");
  expect(countWords(group(1, 1, 12))).toBe("1 panel · 1 of 12 metrics");
});
