import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { findRecorded, isAlive, startRecorded } from "@liverl/durable/process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EmbeddedDriver } from "#drivers/embedded/embedded-driver.ts";
import { launchRun } from "#runs/launch-run.ts";
import { stopRun } from "#runs/stop-run.ts";
import {
  buildTestContext,
  type TestContext,
  type TestControl,
} from "#testing/build-test-context.ts";
import { launchSpec } from "#testing/factories.ts";
import { until } from "#testing/until.ts";

// Programs that stand in for the data plane: real processes that follow the same command lines and files.
const MODEL = `import { mkdirSync, writeFileSync } from "node:fs";
const out = process.argv[process.argv.indexOf("--out") + 1];
mkdirSync(out, { recursive: true });
writeFileSync(out + "/config.json", JSON.stringify({ max_position_embeddings: 256 }));`;
const ENGINE = `setInterval(() => {}, 1000); process.on("SIGTERM", () => process.exit(0));`;
/** Dies in its first attempt; in the second it trains until \`finish\` lies in the run's folder. */
const TRAINER = `import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
const dir = process.argv[process.argv.indexOf("--run-dir") + 1];
const plan = JSON.parse(readFileSync(dir + "/plan.json", "utf8"));
let seq = 0;
const say = (event) => appendFileSync(plan.eventsPath, JSON.stringify({ attempt: plan.attempt, seq: seq++, at: new Date().toISOString(), ...event }) + "\\n");
say({ kind: "phase", id: "warmup", state: "start", detail: null });
if (plan.attempt === 1 && existsSync(dir + "/crash")) process.exit(0);
say({ kind: "phase", id: "warmup", state: "end", detail: null });
say({ kind: "phase", id: "rollouts", state: "start", detail: null });
appendFileSync(plan.metricsPath, JSON.stringify({ step: plan.attempt, data: { "critic/rewards/mean": 0.5 } }) + "\\n");
setInterval(() => {
  if (!existsSync(dir + "/finish")) return;
  writeFileSync(plan.resultPath, JSON.stringify({ runId: plan.runId, outcome: "done", steps: 4, plannedSteps: 4, stoppedBy: "plan", heldOutBefore: 0.2,
    heldOutReward: 0.97, trainSeconds: 1, warmupSeconds: 1, rollouts: 8, calls: 24, tokens: 240, maxLogprobDiff: 0 }));
  process.exit(0);
}, 20);`;

const result = (runId: string) => ({
  runId,
  outcome: "done",
  steps: 4,
  plannedSteps: 4,
  stoppedBy: "plan",
  heldOutBefore: 0.2,
  heldOutReward: 0.97,
  trainSeconds: 1,
  warmupSeconds: 1,
  rollouts: 8,
  calls: 24,
  tokens: 240,
  maxLogprobDiff: 0,
});

describe("the embedded driver", () => {
  let control: TestControl;
  let ctx: TestContext;
  let runner: Server;
  let driver: EmbeddedDriver;
  const requests: string[] = [];

  beforeAll(async () => {
    control = await buildTestContext();
    const { dataDir } = control.ctx.config;
    const dist = join(dataDir, "programs");
    await mkdir(dist);
    await mkdir(join(dataDir, "runner"));
    for (const [name, source] of Object.entries({ model: MODEL, engine: ENGINE, trainer: TRAINER }))
      await writeFile(join(dist, `${name}.mjs`), source);
    runner = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      request.resume().on("end", () => response.end("{}"));
    });
    await new Promise<void>((resolve) => runner.listen(0, "127.0.0.1", resolve));
    const address = runner.address();
    await writeFile(
      join(dataDir, "runner/port"),
      String(typeof address === "object" ? address?.port : ""),
    );
    await writeFile(join(dataDir, "runner/admin.token"), "token");
    ctx = { ...control.ctx, config: { ...control.ctx.config, dist } };
    ctx.wakeDrivers = () => driver.wake();
    driver = new EmbeddedDriver(ctx);
    driver.start();
  });
  afterAll(async () => {
    await driver.stop();
    runner.close();
    await control.close();
  });

  const launch = async (crash: boolean) => {
    const { id } = await launchRun(
      { ...ctx, wakeDrivers: () => undefined },
      { spec: launchSpec(), idempotencyKey: randomUUID() },
    );
    await mkdir(folder(id), { recursive: true });
    if (crash) await writeFile(join(folder(id), "crash"), "");
    driver.wake();
    return id;
  };
  const folder = (id: string) => join(ctx.config.dataDir, "runs", id);
  const row = (id: string) => ctx.db.run.findUniqueOrThrow({ where: { id } });
  const has = (id: string, status: string) =>
    until(async () => (await row(id)).status === status, 120_000);
  const trainer = async (id: string) => findRecorded(ctx.config.processes, `${id}.trainer`);
  const kinds = async (id: string) =>
    (await ctx.db.runEvent.findMany({ where: { runId: id }, orderBy: { id: "asc" } })).map(
      (event) => event.kind,
    );

  test("restarts a trainer that died, outlives its own restart, and ends by the result alone", async () => {
    const id = await launch(true);
    await has(id, "running");
    const plan = JSON.parse(await readFile(join(folder(id), "plan.json"), "utf8"));
    expect(plan).toMatchObject({ attempt: 2, resumeFrom: "latest" });
    // Exit code 0 without a result is a crash.
    expect(await kinds(id)).toEqual(expect.arrayContaining(["launch", "crash", "restart"]));
    const before = await until(() => trainer(id));
    const engine = await findRecorded(ctx.config.processes, `${id}.engine-0`);

    // Control ends here and leaves everything running: a new driver finds the processes by their records.
    await driver.release();
    driver = new EmbeddedDriver(ctx);
    driver.start();
    await until(() =>
      driver
        .processesOf(id)
        .some((process) => process.name === "engine-0" && process.status === "up"),
    );
    expect((await trainer(id))?.pid).toBe(before.pid);
    expect(driver.processesOf(id).find((process) => process.name === "engine-0")?.pid).toBe(
      engine?.pid,
    );

    await writeFile(join(folder(id), "finish"), "");
    await has(id, "succeeded");
    expect(await row(id)).toMatchObject({ heldOutReward: 0.97, attempt: 2, crashes: 1 });
    expect(
      requests.filter((request) => request === `PUT /api/v1/runs/${id}`).length,
    ).toBeGreaterThan(0);
    // Its engines stay for outside agents.
    expect(engine && (await isAlive(engine))).toBe(true);
  });

  test("a run that an archive brought is newer, and ends no engines of the newest run of this LiveRL", async () => {
    const kept = await ctx.db.run.findFirstOrThrow({ orderBy: { createdAt: "desc" } });
    const engine = await findRecorded(ctx.config.processes, `${kept.id}.engine-0`);
    await ctx.db.run.create({
      data: {
        ...{ id: "brought-01", project: "tests", name: "brought", status: "succeeded", color: 1 },
        ...{ driver: "embedded", released: true, createdAt: new Date(Date.now() + 1_000) },
        importedAt: new Date(),
      },
    });
    await writeFile(join(folder(kept.id), "weights/current.json"), "{}");
    // Its end shows that a driver looked: nobody wants it.
    const { record: left } = await startRecorded({
      ...{ directory: ctx.config.processes, name: "gone-01.engine-0", startedBy: "test" },
      ...{ argv: [process.execPath, join(ctx.config.dist, "engine.mjs")], cwd: ctx.config.dist },
      ...{ env: {}, logPath: join(ctx.config.dataDir, "logs/gone.log") },
    });
    await driver.release();
    driver = new EmbeddedDriver(ctx);
    driver.start();
    await until(async () => !(await isAlive(left)));
    await driver.release();
    expect(engine && (await isAlive(engine))).toBe(true);
    await ctx.db.run.delete({ where: { id: "brought-01" } });
    driver = new EmbeddedDriver(ctx);
    driver.start();
  });

  test("a stop now ends the trainer and the next run's start ends the engines of the last", async () => {
    const earlier = await ctx.db.run.findFirstOrThrow({ orderBy: { createdAt: "desc" } });
    const engine = await findRecorded(ctx.config.processes, `${earlier.id}.engine-0`);
    const id = await launch(false);
    await has(id, "running");
    await until(async () => engine !== null && !(await isAlive(engine)));
    const living = await until(() => trainer(id));
    await stopRun(ctx, { id, when: "now" });
    await has(id, "cancelled");
    expect(await isAlive(living)).toBe(false);
    expect(requests).toContain(`DELETE /api/v1/runs/${id}`);
    await until(() => driver.processesOf(id).every((process) => process.name !== "engine-0"));
  });

  test("a run whose trainer ended while control was away ends with its events, and a false end of an earlier life does not count", async () => {
    await driver.release();
    const { id } = await launchRun(
      { ...ctx, wakeDrivers: () => undefined },
      { spec: launchSpec(), idempotencyKey: randomUUID() },
    );
    // As a control that was killed while booting left it, and a trainer that went on.
    await ctx.db.run.update({ where: { id }, data: { status: "booting", attempt: 1 } });
    await mkdir(folder(id), { recursive: true });
    const said = [
      { seq: 0, kind: "phase", id: "rollouts", state: "start", detail: null },
      { seq: 1, kind: "evaluation", step: 4, reward: 0.97, tasks: 256, final: true },
    ];
    await writeFile(
      join(folder(id), "events-1.jsonl"),
      said
        .map(
          (event) => `${JSON.stringify({ attempt: 1, at: new Date().toISOString(), ...event })}\n`,
        )
        .join(""),
    );
    await writeFile(join(folder(id), "result.json"), JSON.stringify(result(id)));
    driver = new EmbeddedDriver(ctx);
    driver.start();
    await has(id, "succeeded");
    expect(await kinds(id)).toContain("evaluation");

    // Queued again. What can not be cleared away keeps it queued: booting, it would be judged by the old result.
    await mkdir(join(folder(id), "commands.jsonl"));
    await ctx.db.run.update({ where: { id }, data: { status: "queued", endedAt: null } });
    driver.wake();
    await setTimeout(1_000);
    expect((await row(id)).status).toBe("queued");
    await rm(join(folder(id), "commands.jsonl"), { recursive: true });
    await has(id, "running");
    await stopRun(ctx, { id, when: "now" });
    await has(id, "cancelled");
  });
});
