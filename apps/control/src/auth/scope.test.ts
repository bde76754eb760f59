import { TokenScope } from "@liverl/contract/api-token";
import { expect, test } from "vitest";
import { refusal, type Scope } from "#auth/scope.ts";

test.each<[Scope, Scope]>([
  ["read", "ingest"],
  ["read", "operate"],
  ["operate", "admin"],
])("what a token that may %s is told where %s is needed, can be done", (scope, needed) => {
  const [, advised] = /--scope (\w+)`/.exec(refusal(scope, needed)) ?? [];
  expect(TokenScope.options).toContain(advised);
});
