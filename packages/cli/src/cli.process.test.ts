import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { PROGRAM, TestLiveRL } from "#testing/start-control.ts";

/** A run that takes seconds: few tasks, short turns, hardly any warm-up. */
const SMALL = [
  ...["model.warmup_steps=20", "batch.train_batch_size=2", "batch.n=4"],
  ...["trainer.val_tasks=8", "trainer.test_freq=1000"],
  "trainer.stop_at_val_reward=null",
];
const RUN = "quickstart-01";

let liverl: TestLiveRL;
beforeAll(async () => {
  liverl = await TestLiveRL.start();
  // A launch is refused until there is somebody to play its rollouts.
  while ((await liverl.liverl(["status"])).code !== 0) await sleep(500);
});
afterAll(() => liverl?.stop());

/** The one object on the last line of stdout, and nothing else there; fails unless the program ends as expected. */
async function ask(words: string[], exit = 0): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await liverl.liverl([...words, "--json"]);
  expect(code, `${words.join(" ")}: ${stdout.slice(0, 500)} ${stderr}`).toBe(exit);
  expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  return z.record(z.string(), z.unknown()).parse(JSON.parse(stdout));
}

async function say(words: string[], exit = 0): Promise<string> {
  const { code, stdout, stderr } = await liverl.liverl(words);
  expect(code, `${words.join(" ")}: ${stderr}`).toBe(exit);
  return stdout;
}

async function untilRun(id: string, is: (run: Record<string, unknown>) => boolean) {
  await expect.poll(async () => is(await ask(["run", id])), { timeout: 200_000 }).toBe(true);
}

describe("a run from its launch to its end", () => {
  test("a spec is planned, launched once by its key, and followed", async () => {
    const plan = await ask(["launch", "--preset", "quickstart", "--plan", "--set", ...SMALL]);
    expect(plan).toMatchObject({
      spec: { batch: { train_batch_size: 2, n: 4 }, project: "quickstart" },
      plan: { kind: "embedded", batchRollouts: 8 },
    });
    expect((await ask(["runs"])).runs).toEqual([]);
    const file = join(liverl.dataDir, "spec.yaml");
    await writeFile(file, await say(["presets", "quickstart"]));
    const words = [
      ...["launch", file, "--key", "same-launch", "--set", ...SMALL],
      ...["trainer.total_training_steps=4000", "trainer.save_freq=1000"],
    ];
    const first = await ask(words);
    expect(first.id).toBe(RUN);
    // Another process, the same key: no second run.
    expect((await ask(words)).id).toBe(RUN);
    await untilRun(RUN, ({ status, step }) => status === "running" && Number(step) > 1);
  });

  test("a checkpoint is asked for, then the run stops after its step", async () => {
    await ask(["checkpoint", RUN]);
    await expect
      .poll(async () => ((await ask(["checkpoints", RUN])).checkpoints as unknown[]).length, {
        timeout: 100_000,
      })
      .toBeGreaterThan(0);
    await ask(["stop", RUN]);
    const ended = await ask(["run", RUN, "--wait"], 1);
    expect(ended).toMatchObject({ status: "stopped", can: { resume: true } });
    const { events } = await ask(["events", RUN]);
    const kinds = z.array(z.object({ kind: z.string(), actor: z.string() })).parse(events);
    for (const kind of ["launch", "checkpoint-requested", "stop-requested"])
      expect(kinds).toContainEqual({ kind, actor: "operator" });
    const judged = await liverl.liverl(["verdict", RUN, "--json"]);
    const isFine = ["Healthy", "Unknown"].includes(JSON.parse(judged.stdout).word);
    expect(judged.code).toBe(isFine ? 0 : 1);
  });

  test("it is resumed, and killed", async () => {
    await ask(["resume", RUN]);
    await untilRun(RUN, ({ status }) => status === "running");
    await ask(["kill", RUN]);
    expect(await ask(["run", RUN, "--wait"], 1)).toMatchObject({ status: "cancelled" });
    expect(await ask(["logs", RUN, "trainer", "-n", "3"])).toMatchObject({ source: "trainer" });
  });

  test("a fork goes on from its checkpoint, and --wait says by its exit that it succeeded", async () => {
    const { checkpoints } = await ask(["checkpoints", RUN]);
    const [{ step = -1 } = {}] = z.array(z.object({ step: z.number() })).parse(checkpoints);
    const planned = ["--set", `trainer.total_training_steps=${step + 2}`];
    const fork = await ask([
      ...["fork", RUN, "--step", String(step), "--name", "forked", "--wait"],
      ...planned,
    ]);
    expect(fork).toMatchObject({
      ...{ id: "forked-01", status: "succeeded", step: step + 2 },
      parent: { id: RUN, step, how: "resume" },
    });
    const clone = await ask(["clone", RUN, "--plan"]);
    expect(clone.spec).toMatchObject({ name: "quickstart-v2", batch: { n: 4 } });
    const config = parse(await say(["config", "forked-01"]));
    expect(config.trainer.resume_from_path).toContain(`global_step_${step}`);
    const changes = await ask(["config", "forked-01", "--vs", "base", "--changed"]);
    expect(changes).toMatchObject({ base: { kind: "run", id: RUN }, vs: { runId: RUN } });
    const paths = z.array(z.looseObject({ path: z.string() })).parse(changes.values);
    expect(paths.map(({ path }) => path).sort()).toEqual([
      ...["name", "trainer.resume_from_path", "trainer.total_training_steps"],
    ]);
    const file = join(liverl.dataDir, "checkpoint.tar");
    const { sizeBytes } = await ask(["checkpoints", "export", RUN, String(step), "-o", file]);
    expect((await readFile(file)).length).toBe(sizeBytes);
  });

  test("its parts are seen: steps, groups, rollouts, tokens, metrics", async () => {
    const { steps } = await ask(["steps", "forked-01"]);
    const [step] = z.array(z.number()).parse(steps);
    expect(await ask(["steps", "forked-01", String(step)])).toMatchObject({ step });
    const { groups } = await ask(["groups", "forked-01", "--step", String(step)]);
    const [group] = z.array(z.object({ groupId: z.string() })).parse(groups);
    expect(await ask(["groups", "forked-01", String(group?.groupId)])).toMatchObject({
      step,
      group,
    });
    const page = await ask(["rollouts", "forked-01", "--filter", "mode = train", "-n", "1"]);
    expect(page.total).toBe(16);
    const [rollout] = z.array(z.object({ rolloutId: z.string() })).parse(page.rollouts);
    const id = String(rollout?.rolloutId);
    expect(await ask(["trajectory", id])).toMatchObject({ rollout: { rolloutId: id } });
    const { segments } = await ask(["trajectory", "flatten", id]);
    const Flat = z.object({
      ...{ tokenIds: z.array(z.number()), mask: z.array(z.number()) },
      logprobs: z.array(z.number().nullable()),
    });
    for (const { tokenIds, mask, logprobs } of z.array(Flat).nonempty().parse(segments)) {
      expect(mask).toHaveLength(tokenIds.length);
      for (const [at, trains] of mask.entries())
        if (trains) expect(logprobs[at]).toBeLessThanOrEqual(0);
      expect(mask.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(0);
    }
    const Token = z.object({ mask: z.number(), logprob: z.number().nullable() }).loose();
    const { tokens } = await ask(["trajectory", "tokens", id, "-n", "1000"]);
    const trains = z
      .array(Token)
      .parse(tokens)
      .filter(({ mask }) => mask === 1);
    expect(trains.length).toBeGreaterThan(0);
    for (const { logprob, trainerLogprob, entropy } of trains) {
      expect(Number(trainerLogprob)).toBeCloseTo(Number(logprob), 3);
      expect(Number(entropy)).toBeGreaterThanOrEqual(0);
    }
    expect(await ask(["trajectory", "atif", id])).toMatchObject({ schema_version: "ATIF-v1.7" });
    const { keys } = await ask(["metrics", "forked-01"]);
    expect(JSON.stringify(keys)).toContain("critic/rewards/mean");
    const table = await say(["metrics", "forked-01", "critic/rewards/mean"]);
    expect(table.split("\n")[0]).toBe("STEP  critic/rewards/mean");
  });

  test("a turn is sampled again with a checkpoint, and the run's rollouts stay as they are", async () => {
    const all = ["rollouts", "forked-01", "-n", "100"];
    const before = await ask(all);
    const [{ rolloutId } = { rolloutId: "" }] = z
      .array(z.object({ rolloutId: z.string() }))
      .parse(before.rollouts);
    const { checkpoints } = await ask(["checkpoints", "forked-01"]);
    const [{ step } = { step: -1 }] = z.array(z.object({ step: z.number() })).parse(checkpoints);
    const again = ["replay", rolloutId, "--turn", "1", "--n", "2"];
    const replay = await ask([...again, "--checkpoint", `global_step_${step}`]);
    expect(replay).toMatchObject({
      ...{ status: "done", sampled: 2, trains: false, rolloutId, turn: 1 },
      weights: { kind: "checkpoint", runId: "forked-01", step },
    });
    const id = String(replay.id);
    expect((await ask(["replay", "list", rolloutId])).replays).toMatchObject([{ id, sampled: 2 }]);
    expect(await say(["replay", "show", id])).toMatch(/^1 +\d+ +-\d/m);
    expect(await ask(all)).toEqual(before);
    await say([...again, "--checkpoint", "9999"], 3);
    await say([...again, "--checkpoint", "newest"], 2);
    await say(again, 2);
    await say(["replay", "cancel", id], 6);
  });

  test("its engine answers an outside agent's session, which is opened and completed", async () => {
    const { sessionId } = await ask(["sessions", "open", "--run", "forked-01"]);
    const id = String(sessionId);
    expect(await ask(["sessions", "show", id])).toMatchObject({ live: true });
    await ask(["sessions", "complete", id, "--reward", "1"]);
    const { sessions } = await ask(["sessions", "list", "-p", "quickstart"]);
    expect(sessions).toMatchObject([{ sessionId: id, reward: { reward: 1 } }]);
  });

  test("an ended run is cleaned", async () => {
    const planned = await ask(["clean", "forked-01", "--dry-run"]);
    expect(planned).toMatchObject({ podsFault: expect.stringContaining("No cluster") });
    expect(z.object({ bytes: z.number() }).parse(planned.trials).bytes).toBeGreaterThan(0);
    await say(["clean", "forked-01", "--logs", "--pods"], 6);
    expect(await ask(["clean", "forked-01", "--dry-run"])).toEqual(planned);
    const cleaned = await ask(["clean", "forked-01", "--trials", "--logs"]);
    expect(cleaned.freedBytes).toBeGreaterThan(0);
    const { rollouts } = await ask(["rollouts", "forked-01", "-n", "1"]);
    const [rollout] = z.array(z.object({ rolloutId: z.string() })).parse(rollouts);
    const gone = await liverl.liverl(["trajectory", "flatten", String(rollout?.rolloutId)]);
    expect(gone.code, gone.stderr).toBe(3);
  });
});

describe("what is around runs", () => {
  test("a metrics file is followed, and stops being so", async () => {
    const path = join(liverl.dataDir, "outside.jsonl");
    await writeFile(path, '{"step": 1, "data": {"loss": 0.5}}\n');
    const { id } = await ask(["attach", path, "-p", "outside", "-n", "mine"]);
    await expect
      .poll(async () => JSON.stringify(await ask(["metrics", String(id)])))
      .toContain('"loss"');
    await ask(["stop", String(id)]);
    expect(await ask(["run", String(id)])).toMatchObject({ status: "stopped" });
  });

  test("a log is followed until somebody stops", async () => {
    const following = ["--data-dir", liverl.dataDir, "logs", RUN, "control", "-f", "--json"];
    const { child, result, ended } = liverl.begin(following);
    const folder = join(liverl.dataDir, "logs");
    await mkdir(folder, { recursive: true });
    // Written again and again: the follower begins at its own time. The second one comes after what it found.
    for (const word of ["first", "second"])
      await expect
        .poll(
          async () => {
            await writeFile(join(folder, "control.log"), `a ${word}\x1b[2J line\n`, { flag: "a" });
            return result.stderr;
          },
          { timeout: 60_000 },
        )
        .toContain(`a ${word} line`);
    expect(result.stderr).not.toContain("\x1b");
    child.kill("SIGINT");
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(JSON.parse(stdout).lines).toBeGreaterThan(0);
  });

  test("a token of a scope is made, used and revoked", async () => {
    const { token } = await ask(["token", "create", "watch", "--scope", "read", "--days", "1"]);
    const { url } = z
      .object({ url: z.string() })
      .parse(JSON.parse(await readFile(join(liverl.dataDir, "liverl.json"), "utf8")));
    const env = { LIVERL_URL: url, LIVERL_TOKEN: String(token) };
    expect((await liverl.run(["runs"], env)).code).toBe(0);
    const refused = await liverl.run(["stop", RUN], env);
    expect([refused.code, refused.stderr]).toEqual([
      4,
      "This token may read, and this needs operate: make one with `liverl token create NAME --scope operate`.\n",
    ]);
    await ask(["token", "revoke", "watch"]);
    expect((await liverl.run(["runs"], env)).code).toBe(4);
  });

  test("the machine is seen, and any route can be asked", async () => {
    expect(await ask(["status"])).toMatchObject({ database: "up", dataPlane: { runner: "up" } });
    expect(await ask(["cluster"])).toHaveProperty("host.load");
    expect(await ask(["sandboxes"])).toHaveProperty("fault");
    const { url } = await ask(["link"]);
    expect(url).toMatch(/\/start\?code=/);
    await fetch(String(url), { headers: { "user-agent": "a test" } });
    const { browsers } = z
      .object({ browsers: z.tuple([z.looseObject({ id: z.string() })]) })
      .parse(await ask(["browsers"]));
    expect(browsers).toMatchObject([{ userAgent: "a test", isThis: false }]);
    expect(await ask(["browsers", "revoke", browsers[0].id])).toEqual({});
    expect(await ask(["browsers", "revoke", "--all"])).toEqual({ count: 0 });
    expect(await ask(["api", "run.events", `id=${RUN}`, "limit=1"])).toHaveProperty("events.0.id");
    expect(await ask(["api", "/api/v1/openapi.json"])).toMatchObject({ openapi: "3.1.0" });
    const posted = [
      "api",
      "launch.suggestName",
      "-X",
      "get",
      "project=quickstart",
      "base=quickstart",
    ];
    expect(await ask(posted)).toEqual({ name: "quickstart-v2" });
    const text = await say(["api", "launch.readEnvironment", "-d", '{"text":"export N=1"}']);
    expect(JSON.parse(text)).toHaveProperty("notes");
  });

  test.each([
    [["run", "none"], 3, "There is no run none."],
    [["resume", "forked-01"], 6, "did what its plan asks for: fork it"],
    [["checkpoints", "merge", RUN, "1"], 6, ""],
    [["checkpoints", "cancel-merge", RUN, "1"], 6, "No merge of step 1 is under way"],
    [["launch", "--preset", "quickstart", "--set", "batch.n=0"], 2, "batch.n: "],
    [["launch", "--preset", "none"], 3, "there are quickstart"],
    [["launch"], 2, "Give a spec's file or --preset"],
    [["logs", RUN, "nothing"], 3, "nothing"],
    [["rollouts", RUN, "-n", "many"], 2, "Give a whole number, 1 or more."],
    [["runs", "--sort", "tag"], 2, "sort: a field to sort by"],
    [["runs", "--status", "lost"], 2, "status[0]: Invalid option"],
    [["stp", RUN], 2, "Did you mean stop?"],
    [["api", "run.list", "statsu=x"], 2, "There is no statsu here."],
    [["--url", "http://127.0.0.1:9", "runs"], 5, "can not be reached"],
    [["--url", "nowhere", "runs"], 2, "give an address like"],
    [["--data-dir", "/nonexistent", "runs"], 5, "No LiveRL runs on /nonexistent"],
  ] as [string[], number, string][])("%j ends with %i and says why", async (words, exit, why) => {
    const isElsewhere = words[0]?.startsWith("--data-dir");
    const { code, stdout, stderr } = await (isElsewhere ? liverl.run(words) : liverl.liverl(words));
    expect(stderr).toContain(why);
    expect([code, stdout]).toEqual([exit, ""]);
  });

  test("words are completed, run ids among them", async () => {
    const complete = async (...words: string[]) =>
      (await liverl.run(["complete", "--", "--data-dir", liverl.dataDir, ...words])).stdout
        .trim()
        .split("\n");
    expect(await complete("che")).toEqual(["checkpoint", "checkpoints"]);
    expect(await complete("resume", "quick")).toEqual([RUN]);
    expect(await complete("checkpoints", "m")).toContain("merge");
    expect(await complete("fork", RUN, "--how", "")).toEqual(["resume", "weights"]);
    expect(await complete("logs", RUN, "--fol")).toEqual(["--follow"]);
  });
});

describe("acts that belong to no life of a run", () => {
  const PROJECT = ["-p", "quickstart"];
  const idIn = async (...words: string[]) => String((await ask(words)).id);

  test("rules of alerts are made, changed, silenced and removed", async () => {
    const rule = await idIn(
      ...["alerts", "add-rule", "It failed", "--status", "failed", "--runs", "nothing-yet"],
      ...["--level", "bad", ...PROJECT],
    );
    expect(await say(["alerts", "rules", ...PROJECT])).toMatch(
      /It failed +bad +on +nothing-yet +0 +the run is failed/,
    );
    await ask([
      "alerts",
      "change-rule",
      rule,
      ...PROJECT,
      ...["--status", "cancelled", "--runs", ""],
    ]);
    const named = async (name: string) =>
      z
        .object({ rules: z.array(z.looseObject({ name: z.string() })) })
        .parse(await ask(["alerts", "rules", ...PROJECT]))
        .rules.filter((one) => one.name === name);
    expect(await named("It failed")).toMatchObject([
      { id: rule, level: "bad", condition: { statuses: ["cancelled"] } },
    ]);
    const missing = ["alerts", "change-rule", "none", "--off", ...PROJECT];
    await expect(liverl.liverl(missing)).resolves.toMatchObject({ code: 3 });
    const silence = await idIn(
      ...["alerts", "silence", "--rule", rule, "--minutes", "5", "--reason", "a test", ...PROJECT],
    );
    expect(await ask(["alerts", "silences", ...PROJECT])).toMatchObject({
      silences: [{ id: silence, ruleName: "It failed", reason: "a test" }],
    });
    await ask(["alerts", "end-silence", silence, ...PROJECT]);
    await ask(["alerts", "remove-rule", rule, ...PROJECT]);
    expect(await named("It failed")).toEqual([]);
  });

  test("a project says which key is its reward, and takes it back", async () => {
    const chosen = async () =>
      z
        .object({
          names: z.array(z.looseObject({ metric: z.string(), key: z.string().nullable() })),
        })
        .parse(await ask(["metric-names", "list", ...PROJECT]))
        .names.find(({ metric }) => metric === "reward")?.key;
    await ask(["metric-names", "set", "reward", "mine/score", ...PROJECT]);
    expect(await chosen()).toBe("mine/score");
    await ask(["metric-names", "reset", "reward", ...PROJECT]);
    expect(await chosen()).toBeNull();
  });

  test("what fires is listed and dismissed", async () => {
    const path = join(liverl.dataDir, "alarming.jsonl");
    await writeFile(path, '{"step": 1, "data": {"loss": 7}}\n');
    const words = ["--metric", "loss", "--above", "5", ...PROJECT];
    await ask(["alerts", "add-rule", "Loss is high", ...words]);
    const run = await idIn("attach", path, ...PROJECT, "-n", "alarming");
    const open = async () =>
      z
        .array(z.looseObject({ id: z.number(), ruleName: z.string() }))
        .parse((await ask(["alerts", ...PROJECT])).alerts)
        .filter((alert) => alert.ruleName === "Loss is high");
    await expect.poll(async () => (await open()).length, { timeout: 60_000 }).toBe(1);
    const [alert] = await open();
    expect(alert).toMatchObject({ value: 7, run: { id: run } });
    await ask(["alerts", "dismiss", String(alert?.id), ...PROJECT]);
    expect(await open()).toEqual([]);
    const again = await liverl.liverl(["alerts", "dismiss", String(alert?.id), ...PROJECT]);
    expect(again.code).toBe(6);
    await ask(["annotate", run, "1", "the loss is odd"]);
    const { events } = await ask(["events", run]);
    const note = z
      .array(z.looseObject({ id: z.number(), kind: z.string(), message: z.string() }))
      .parse(events)
      .find(({ kind }) => kind === "annotation");
    expect(note).toMatchObject({ message: "the loss is odd", actor: "operator" });
    await ask(["unannotate", run, String(note?.id)]);
    expect(await say(["events", run])).not.toContain("the loss is odd");
    await ask(["tag", run, "--add", "odd"]);
    expect(await say(["runs", "--filter", "tag = odd"])).toContain(run);
    await ask(["tag", run, "--remove", "odd"]);
    expect(await say(["runs", "--filter", "tag = odd"])).not.toContain(run);
    const file = join(liverl.dataDir, "metrics.csv");
    await ask(["metrics", "export", run, "loss", "-o", file]);
    expect(await readFile(file, "utf8")).toContain("loss");
    await ask(["stop", run]);
  });

  test("a receiver is tried, and says by its exit whether it was reached", async () => {
    let status = 200;
    const server = createServer((_, answer) => answer.writeHead(status).end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/secret`;
    const added = await liverl.liverl(["alerts", "add-receiver", "here", "-", ...PROJECT], url);
    const receiver = added.stdout.trim();
    await ask(["alerts", "test-receiver", receiver, ...PROJECT]);
    status = 403;
    expect(await ask(["alerts", "test-receiver", receiver, ...PROJECT], 1)).toMatchObject({
      status: "failed",
    });
    expect(await say(["alerts", "receivers", ...PROJECT])).not.toContain("secret");
    await ask(["alerts", "remove-receiver", receiver, ...PROJECT]);
    expect(await ask(["alerts", "receivers", ...PROJECT])).toEqual({ receivers: [] });
    server.close();
  });

  test("bounds of the verdict are set and taken back", async () => {
    const bounds = async () =>
      z
        .array(z.looseObject({ id: z.string(), warn: z.number().nullable() }))
        .parse((await ask(["thresholds", ...PROJECT])).thresholds)
        .find(({ id }) => id === "mfu");
    const before = await bounds();
    await ask(["thresholds", "set", "mfu", "--warn", "0.02", ...PROJECT]);
    expect(await bounds()).toMatchObject({ warn: 0.02, isChanged: true });
    await ask(["thresholds", "reset", "mfu", ...PROJECT]);
    expect(await bounds()).toEqual(before);
  });

  test("a price is set, and what runs cost is reckoned by it", async () => {
    const spent = async () =>
      z
        .object({ deviceHours: z.number(), money: z.unknown() })
        .parse((await ask(["run", "forked-01"])).cost);
    const { deviceHours, money } = await spent();
    expect([deviceHours > 0, money]).toEqual([true, null]);
    await ask(["prices", "set", "--cpu-hour", "2", "--currency", "EUR", ...PROJECT]);
    expect((await spent()).money).toEqual({ amount: deviceHours * 2, currency: "EUR" });
    expect(await say(["runs", ...PROJECT])).toMatch(/forked-01 .+ CPU-hours .+EUR/);
    await ask(["prices", "set", "--cpu-hour", "none", ...PROJECT]);
    expect(await ask(["prices", ...PROJECT])).toMatchObject({ cpuHour: null, currency: "EUR" });
    await say(["prices", "set", "--cpu-hour", "-1", ...PROJECT], 2);
  });

  test("filters and views are kept and deleted", async () => {
    await ask(["filters", "save", "bad ones", "reward < 0.5", ...PROJECT]);
    expect(await ask(["filters", ...PROJECT])).toEqual({
      filters: [{ name: "bad ones", filter: "reward < 0.5" }],
    });
    await ask(["filters", "delete", "bad ones", ...PROJECT]);
    expect(await ask(["filters", ...PROJECT])).toEqual({ filters: [] });
    const state = { search: "loss" };
    const view = JSON.stringify({ project: "quickstart", name: "mine", state });
    const { id } = await ask(["api", "view.save", "-d", view]);
    expect(await say(["views", RUN])).toContain(String(id));
    await ask(["views", "delete", String(id)]);
    expect(await say(["views", RUN])).not.toContain(String(id));
  });

  test("rollouts are tagged, noted and downloaded", async () => {
    const of = ["forked-01", "--filter", "mode = train"];
    const { changed } = await ask(["rollouts", "tag", ...of, "--add", "seen"]);
    expect(changed).toBe(16);
    const page = await ask(["rollouts", "forked-01", "--filter", "tag = seen", "-n", "1"]);
    const [rollout] = z.array(z.object({ rolloutId: z.string() })).parse(page.rollouts);
    const id = String(rollout?.rolloutId);
    await ask(["rollouts", "note", id, "a lucky one"]);
    expect(await ask(["trajectory", id])).toMatchObject({ rollout: { note: "a lucky one" } });
    const file = join(liverl.dataDir, "rollouts.jsonl");
    await ask(["rollouts", "export", "forked-01", "--rollout", id, "-o", file]);
    expect((await readFile(file, "utf8")).trimEnd().split("\n")).toHaveLength(1);
    await say(["rollouts", "tag", "forked-01", "--add", "x"], 2);
    await say(["rollouts", "cancel", id], 6);
  });

  test("two runs are set side by side", async () => {
    const { finals } = await ask(["compare", RUN, "forked-01"]);
    expect(finals).toContainEqual(expect.objectContaining({ label: "Reward", kind: "number" }));
    const { tasks } = await ask(["compare", RUN, "forked-01", "--pairs"]);
    expect(z.array(z.object({ task: z.string() })).parse(tasks)).toBeInstanceOf(Array);
    await say(["compare", RUN, "none"], 3);
  });

  test("a launch script's variables are read into a plan", async () => {
    const script = join(liverl.dataDir, "launch.sh");
    await writeFile(script, "export N_RESP_PER_PROMPT=4\nexport NOT_KNOWN=1\n");
    const words = ["launch", "--preset", "quickstart", "--plan", "--environment", script];
    const { code, stdout, stderr } = await liverl.liverl([...words, "--json"]);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ spec: { batch: { n: 4 } } });
    expect(stderr).toContain("NOT_KNOWN");
  });

  test("a run is put in a file; one that is there is not put in again", async () => {
    const file = join(liverl.dataDir, "run.tar.gz");
    await ask(["archive", RUN, "-o", file]);
    await say(["import", file], 6);
  });

  test("a run goes only by --yes, and comes back from its file", async () => {
    const file = join(liverl.dataDir, "run.tar.gz");
    const refused = await liverl.liverl(["delete", RUN]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--yes")]);
    const { status } = await ask(["run", RUN]);
    expect(await ask(["delete", RUN, "--yes"])).toMatchObject({ id: RUN });
    await say(["run", RUN], 3);
    await say(["delete", RUN, "--yes"], 3);
    expect(await say(["import", file])).toContain(RUN);
    expect(await ask(["run", RUN])).toMatchObject({ id: RUN, status });
  });
});

describe("the MCP server", () => {
  const connect = async (...flags: string[]) => {
    const client = new Client({ name: "test", version: "1" });
    const argv = [PROGRAM, "mcp", "--data-dir", liverl.dataDir, ...flags];
    await client.connect(new StdioClientTransport({ command: process.execPath, args: argv }));
    return client;
  };
  const textOf = (result: Awaited<ReturnType<Client["callTool"]>>) =>
    z.array(z.object({ text: z.string() })).parse(result.content)[0]?.text ?? "";

  test("every verb is a tool that says whether it reads, acts or destroys", async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    const marks = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(marks.run_get).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(marks.run_checkpoint).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(marks.run_clean).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(marks.launch_plan).toMatchObject({ readOnlyHint: false, openWorldHint: true });
    for (const name of ["run_launch", "session_exchange", "sessions_complete", "trajectory_flat"])
      expect(marks).toHaveProperty([name]);
    // What writes a file here does not only read.
    for (const name of ["run_archive", "rollouts_export", "metrics_export", "checkpoint_download"])
      expect(marks[name]).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(marks.log_tail).toMatchObject({ readOnlyHint: true });
    // Streams without an end are none, nor is what trainers do.
    for (const name of ["run_live", "metrics_log"]) expect(marks).not.toHaveProperty([name]);
    for (const { name, inputSchema } of tools) {
      expect(name).toMatch(/^[a-z0-9_]{1,64}$/);
      const text = JSON.stringify(inputSchema);
      for (const [, id] of text.matchAll(/"\$ref":"([^"]+)"/g))
        expect(inputSchema).toHaveProperty(String(id).slice(2).split("/"));
    }
    await client.close();
  });

  test("a tool reads, acts, and says what is wrong", async () => {
    const client = await connect();
    const call = (name: string, given = {}) => client.callTool({ name, arguments: given });
    const list = JSON.parse(textOf(await call("run_list", { project: "quickstart" })));
    const names = list.runs.map(({ id }: { id: string }) => id);
    expect(names).toEqual(expect.arrayContaining([RUN, "forked-01"]));
    const series = { runId: RUN, keys: ["critic/rewards/mean"], buckets: 10 };
    expect(JSON.parse(textOf(await call("metric_series", series)))).toHaveProperty("bucketSteps");
    const { spec } = await ask(["clone", RUN, "--plan"]);
    const planned = JSON.parse(textOf(await call("launch_plan", { spec })));
    expect(planned).toMatchObject({ faults: [], plan: { kind: "embedded" } });
    const missing = await call("run_get", { id: "none" });
    expect([missing.isError, textOf(missing)]).toEqual([true, "There is no run none."]);
    const refused = await call("run_checkpoint", { id: RUN });
    expect([refused.isError, textOf(refused)]).toEqual([
      true,
      `${RUN} is cancelled; only a running run can write a checkpoint.`,
    ]);
    expect((await call("sessions_get", { id: "nobody" })).isError).toBe(true);
    expect(textOf(await call("sessions_get"))).toBe("id: it is missing.");
    expect((await call("run_clean", { id: RUN, logs: true })).isError).toBeFalsy();
    const { events } = await ask(["events", RUN, "-n", "1"]);
    expect(events).toMatchObject([{ kind: "clean" }]);
    await client.close();
  });

  test("files go where they are named, and come from there", async () => {
    const client = await connect();
    const call = (name: string, given = {}) => client.callTool({ name, arguments: given });
    const output = join(liverl.dataDir, "mcp-metrics.csv");
    const wish = { id: RUN, format: "csv", output };
    expect(JSON.parse(textOf(await call("metrics_export", wish)))).toEqual({
      ...{ path: output, sizeBytes: (await readFile(output)).byteLength },
    });
    expect(await readFile(output, "utf8")).toMatch(/critic\/rewards\/mean/);
    const again = await call("metrics_export", wish);
    expect([again.isError, textOf(again)]).toEqual([
      true,
      `${output} is there already: name another file.`,
    ]);
    expect(textOf(await call("metrics_export", { id: RUN }))).toBe("output: it is missing.");
    const archive = join(liverl.dataDir, "mcp-run.tar.gz");
    expect((await call("run_archive", { id: RUN, output: archive })).isError).toBeFalsy();
    expect((await readFile(archive)).subarray(0, 2).toString("hex")).toBe("1f8b");
    // It is here, so it is not put in a second time.
    const imported = await call("run_import", { file: archive });
    expect([imported.isError, textOf(imported)]).toEqual([true, expect.stringContaining(RUN)]);
    const missing = await call("run_import", { file: `${archive}.none` });
    expect(textOf(missing)).toContain("can not be read");
    const tail = textOf(await call("log_tail", { runId: "forked-01", lines: 3 }));
    expect(tail.split("\n")).toHaveLength(3);
    await client.close();
  });

  test("read-only serves no tool that acts", async () => {
    const client = await connect("--read-only");
    const { tools } = await client.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    const act = await client.callTool({ name: "run_stop", arguments: { id: RUN, when: "now" } });
    expect(act.isError).toBe(true);
    await client.close();
  });
});

/** Acts that the program has no word for, and why. */
const NO_WORD: Record<string, string> = {
  "browser.signOut": "a browser signs itself out; a token is revoked",
  "view.save": "a view is the look of the metrics page: it is made and saved there",
};

test("every act of the pages is in the API, and the words above did each of them", async () => {
  const { paths } = await ask(["api", "/api/v1/openapi.json"]);
  const Act = z.looseObject({ operationId: z.string(), "x-liverl-scope": z.string() });
  const acts = Object.entries(z.record(z.string(), z.object({ post: Act.optional() })).parse(paths))
    .flatMap(([path, { post }]) => (post ? [{ path, ...post }] : []))
    .filter((one) => ["operate", "admin"].includes(one["x-liverl-scope"]));
  expect(acts.length).toBeGreaterThan(30);
  const isDone = (path: string) => {
    const shape = new RegExp(`^${path.replace(/\./g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`);
    // What its state does not allow was asked for as well.
    return liverl.relay.heard.some(
      (one) =>
        one.method === "POST" && shape.test(one.path) && [200, 201, 409].includes(one.status),
    );
  };
  const without = acts.filter(({ path }) => !isDone(path)).map(({ operationId }) => operationId);
  const named = Object.keys(NO_WORD);
  expect(without.filter((name) => !named.includes(name))).toEqual([]);
  expect(named.filter((name) => !acts.some(({ operationId }) => operationId === name))).toEqual([]);
});
