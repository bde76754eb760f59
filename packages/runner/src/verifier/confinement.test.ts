import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openCodePool } from "#verifier/code-pool.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "liverl-confinement-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** A worker that does not start while it is confined, and otherwise answers every candidate with 1. */
async function runOn(exitCode: number) {
  const entry = join(directory, `exits-${exitCode}.cjs`);
  await writeFile(
    entry,
    `if (process.permission) process.exit(${exitCode});
process.stdin.on("data", (line) => {
  const { id } = JSON.parse(line);
  console.log(JSON.stringify({ id, outcome: "ran", outputs: "n1", detail: "" }));
});
console.log(JSON.stringify({ ready: true }));`,
  );
  const warnings: string[] = [];
  const pool = openCodePool({ entry, size: 1, warn: (text) => warnings.push(text) });
  const job = { source: "", functionNames: ["f"], argumentList: [[1, 2] as [number, number]] };
  const outcomes = [];
  for (let i = 0; i < 2; i++) outcomes.push(await pool.run(job).catch((error: unknown) => error));
  await pool.close();
  return { outcomes, warnings };
}

it("is given up, and said so once, where Node does not know its flags", async () => {
  const { outcomes, warnings } = await runOn(9);
  expect(outcomes).toMatchObject([{ outcome: "ran" }, { outcome: "ran" }]);
  expect(warnings).toHaveLength(1);
});

it("is never given up for another reason", async () => {
  const { outcomes, warnings } = await runOn(1);
  expect(outcomes).toMatchObject([
    { exceptionType: "VerifierCrashError" },
    { exceptionType: "VerifierCrashError" },
  ]);
  expect(warnings).toEqual([]);
});
