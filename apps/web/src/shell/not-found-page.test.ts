import { expect, test } from "vitest";
import { suggestPage } from "#shell/not-found-page.tsx";

test.each([
  ["/cluster", "cluster"],
  ["/p/quickstart/setings", "settings"],
  ["/p/cluster/nothing-like-it", null],
  ["/quickstart/runs/abc", "runs"],
  ["/p/quickstart/runs/one/metrcs", "runs"],
  ["/", null],
])("%s suggests %s", (path, page) => {
  expect(suggestPage(path)).toBe(page);
});
