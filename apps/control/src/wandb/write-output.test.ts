import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeOutput } from "#wandb/write-output.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "liverl-output-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test("lines written at any number give what a list of lines would hold", async () => {
  const path = join(directory, "logs", "random.log");
  const lines: string[] = [];
  let count = 0;
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let turn = 0; turn < 300; turn++) {
    const offset = Math.max(0, lines.length + 2 - random(turn % 10 === 0 ? 2000 : 12));
    const fresh = Array.from(
      { length: 1 + random(5) },
      (_, i) => `${turn}:${i} ${"ü".repeat(random(300))}`,
    );
    while (lines.length < offset) lines.push("");
    lines.splice(offset, fresh.length, ...fresh);
    count = await writeOutput(path, count, { offset, lines: fresh });
    expect(count).toBe(lines.length);
  }
  expect((await readFile(path, "utf8")).split("\n")).toEqual([...lines, ""]);
});
