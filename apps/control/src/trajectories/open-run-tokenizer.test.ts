import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Context } from "#context.ts";
import { verlSpec } from "#testing/factories.ts";
import { openRunTokenizer } from "#trajectories/open-run-tokenizer.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-tokenizer-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = async (name: string, vocab: Record<string, number> | null) => {
  await mkdir(join(folder, name), { recursive: true });
  const text = vocab === null ? "{cut" : JSON.stringify({ model: { vocab } });
  await writeFile(join(folder, name, "tokenizer.json"), text);
};
/** Stands in for the database: one run with this spec. */
const open = async (spec: unknown) => {
  const db = { run: { findUnique: async () => ({ spec }) } };
  const ctx = { db, config: { dataDir: folder } } as unknown as Pick<Context, "db" | "config">;
  const tokenizer = await openRunTokenizer(ctx, "r-01");
  return tokenizer && Buffer.from(tokenizer.bytesOf(1)).toString("utf8");
};
const verl = verlSpec("/v");
const withModel = (path: string, overrides = {}) => ({
  ...verl,
  model: { ...verl.model, path },
  overrides,
});

test("a run of verl is read by the tokenizer of its model, also of one that an override names", async () => {
  await write("model", { a: 0, Ġone: 1 });
  await write("other", { b: 0, Ġtwo: 1 });
  const spec = withModel(join(folder, "model"));
  expect(await open(spec)).toBe(" one");
  const key = "actor_rollout_ref.model.path";
  expect(await open({ ...spec, overrides: { [key]: join(folder, "other") } })).toBe(" two");
  // Trained anew under the same path.
  await write("model", { a: 0, Ġthree: 1 });
  expect(await open(spec)).toBe(" three");
});

test("one that is elsewhere or broken gives none; an embedded run has its own", async () => {
  expect(await open(withModel("/only/on/the/cluster"))).toBeNull();
  await write("broken", null);
  expect(await open(withModel(join(folder, "broken")))).toBeNull();
  await write("runs/r-01/model", { a: 0, Ġown: 1 });
  expect(await open(null)).toBe(" own");
});
