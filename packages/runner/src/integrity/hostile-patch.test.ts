import { readNumber } from "@liverl/durable/tasks/lax-values";
import { expect, it } from "vitest";
import { scrubSecrets } from "#harbor-files/scrub-secrets.ts";
import { judgeLiterals } from "#integrity/judge-literals.ts";
import { judgePatch } from "#integrity/judge-patch.ts";
import { packageOf } from "#integrity/package-of.ts";
import { excludePaths } from "#sandboxes/exclude-paths.ts";
import { withoutCanary } from "#tasks/instruction.ts";

const SIZE = 1_000_000;
const MOST_MS = 3_000;
const PARTS = [
  ...[
    "0",
    "a",
    " ",
    "\t",
    "(",
    "[",
    '"',
    "'",
    "\\",
    "'\\",
    "_",
    "0_",
    "-",
    "sys.exit(",
    "sys.exit()#",
  ],
  ...[
    "diff --git a/b ",
    " b//",
    "/go/pkg/mod/",
    "/node_modules/",
    "<!-- canary",
    ":n",
    "raise SystemExit(",
  ],
];
const READERS: Record<string, (text: string) => unknown> = {
  judgePatch: (text) => judgePatch(`diff --git a/x b/x\n+${text}`),
  judgePaths: (text) => judgePatch(`diff --git a/${text}\n+x`),
  judgeLiterals: (text) =>
    judgeLiterals({ patch: `diff --git a/x b/x\n+${text}`, tests: [text], known: [] }),
  packageOf: (text) => packageOf(`/var/lib/dpkg/info/${text}`) ?? packageOf(`/x${text}`),
  withoutCanary,
  readNumber,
  scrubSecrets: (text) => scrubSecrets(text, ["0123456789abcdef"]),
};

it.each(Object.entries(READERS))("%s takes linear time for what a sandbox left", (_, read) => {
  for (const part of PARTS) {
    const text = part.repeat(SIZE / part.length);
    const before = process.cpuUsage();
    read(text);
    expect(process.cpuUsage(before).user / 1_000, part).toBeLessThan(MOST_MS);
  }
});

it("a pattern of many stars is no work for the path that it almost fits", () => {
  const isLeftOut = excludePaths([`${"*a".repeat(60)}b`]);
  const before = process.cpuUsage();
  expect(isLeftOut(["a".repeat(4_000)])).toBe(false);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
});
