import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LiveOutput } from "#recordings/live-output.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "liverl-live-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

/** Stands in for a sandbox whose agent writes a file. */
function build(content: () => string) {
  let copies = 0;
  const sandbox = {
    download: async (_: string, to: string) => {
      copies++;
      writeFileSync(to, content());
      return null;
    },
  };
  const to = join(root, "a.txt");
  const output = new LiveOutput(sandbox, { from: "/logs/agent/a.txt", to });
  return { output, to, copies: () => copies };
}

it("copies for all who look at a time once, and not again at once", async () => {
  const { output, to, copies } = build(() => "so far");
  await Promise.all([output.bring(), output.bring(), output.bring()]);
  await output.bring();
  expect(copies()).toBe(1);
  expect(readFileSync(to, "utf8")).toBe("so far");
  const later = performance.now() + 2_500;
  vi.spyOn(performance, "now").mockReturnValue(later);
  await output.bring();
  expect(copies()).toBe(2);
});

it("copies nothing once the agent has ended, nor what has grown too long", async () => {
  const ended = build(() => "x");
  await ended.output.stop();
  await ended.output.bring();
  expect(ended.copies()).toBe(0);
  const long = build(() => "y".repeat(5 * 1024 * 1024));
  await long.output.bring();
  vi.spyOn(performance, "now").mockReturnValue(performance.now() + 60_000);
  await long.output.bring();
  expect(long.copies()).toBe(1);
});

it("takes a sandbox that does not answer for one that has nothing yet", async () => {
  const output = new LiveOutput(
    { download: () => Promise.reject(new Error("gone")) },
    { from: "/a", to: join(root, "a.txt") },
  );
  await expect(output.bring()).resolves.toBeUndefined();
});
