import { cp, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clearImports } from "#archives/clear-imports.ts";
import { forge } from "#testing/forge-archive.ts";
import { OPERATOR_TOKEN, startTestApp, type TestApp } from "#testing/start-test-app.ts";
import { until } from "#testing/until.ts";

const TRIALS = "harbor_trials/tests/evil-01";
const RUN = "runs/evil-01";
let there: TestApp;

beforeAll(async () => {
  there = await startTestApp();
});
afterAll(() => there.close());

async function bringIn(archive: Uint8Array): Promise<[number, string]> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "application/gzip" };
  const answer = await fetch(`${there.base}/api/v1/runs/import`, {
    ...{ method: "POST", headers, body: archive },
  });
  return [answer.status, await answer.text()];
}

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

test.each([
  ["before its rows are there to stay", false],
  ["after they are", true],
])(
  "a kill in an import %s leaves nothing half done after the next start",
  async (_, isCommitted) => {
    const { ctx } = there.control;
    const { dataDir } = ctx.config;
    // COMMIT waits here, as long as the lock is held: the folders are in their places then.
    await ctx.pool.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_advisory_xact_lock(19); RETURN NULL; END'`);
    await ctx.pool.query(`CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON run
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()`);
    const holder = await ctx.pool.connect();
    await holder.query("SELECT pg_advisory_lock(19)");
    const archive = await forge([
      { name: "trials/a", text: "1" },
      { name: "run/logs/trainer.log", text: "a line" },
    ]);
    const importing = bringIn(archive);
    await until(() => isThere(join(dataDir, TRIALS)));
    // The disk as a kill -9 leaves it at this moment.
    const killed = await mkdtemp(join(tmpdir(), "liverl-killed-"));
    await cp(dataDir, killed, { recursive: true });
    expect(await readdir(join(killed, "imports"))).toHaveLength(1);
    if (!isCommitted)
      await ctx.pool.query(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
      );
    await holder.query("SELECT pg_advisory_unlock(19)");
    holder.release();
    expect((await importing)[0]).toBe(isCommitted ? 200 : 503);
    await ctx.pool.query("DROP FUNCTION wait CASCADE");

    const next = { ...ctx, config: { ...ctx.config, dataDir: killed } };
    await clearImports(next);
    await clearImports(next);
    expect(await readdir(join(killed, "imports"))).toEqual([]);
    const kept = [await isThere(join(killed, TRIALS)), await isThere(join(killed, RUN))];
    expect(kept).toEqual([isCommitted, isCommitted]);
    await rm(killed, { recursive: true });
    await ctx.db.run.deleteMany({ where: { id: "evil-01" } });
    for (const path of [TRIALS, RUN])
      await rm(join(dataDir, path), { recursive: true, force: true });
    expect(await readdir(join(dataDir, "imports"))).toEqual([]);
  },
);

test("a folder that the database knows no run of is not written over, and is named", async () => {
  const { dataDir } = there.control.ctx.config;
  const folder = join(dataDir, RUN);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "of-somebody"), "x");
  expect(await bringIn(await forge([{ name: "run/logs/a", text: "1" }]))).toEqual([
    409,
    expect.stringContaining(`${folder} is there already`),
  ]);
  expect(await readdir(folder)).toEqual(["of-somebody"]);
  await rm(folder, { recursive: true });
});
