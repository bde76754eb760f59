import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appRouter } from "#router.ts";
import {
  INGEST_TOKEN,
  OPERATOR_TOKEN,
  startTestApp,
  type TestApp,
} from "#testing/start-test-app.ts";

describe("POST /api/v1/metrics", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.close());

  const log = async (body: unknown, token = INGEST_TOKEN) => {
    const response = await fetch(`${app.base}/api/v1/metrics`, {
      ...{ method: "POST", headers: { authorization: `Bearer ${token}` } },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const caller = () => appRouter.createCaller({ ...app.control.ctx, actor: "test" });
  const series = async (runId: string, key: string) => {
    await app.control.ctx.ingest.settle();
    return (await caller().metric.series({ runId, keys: [key], buckets: 4000 })).series[0];
  };

  test("makes the run, takes rows and series, and ends it", async () => {
    const first = await log({
      ...{ project: "p", run: "mine", config: { lr: 0.1, model: { name: "m" } }, tags: ["a", "b"] },
      rows: [
        { step: 1, time: 1_700_000_000.5, values: { loss: 0.5, "acc/top@1": true } },
        { step: 0, values: { loss: 1 } },
      ],
      series: [
        {
          key: "reward",
          step: [0, 1, 2, 1],
          value: ["-Infinity", null, "NaN", 3],
          time: [1, 2, 3, 4],
        },
      ],
    });
    expect(first).toEqual({ status: 200, body: { runId: "mine-01", points: 7 } });
    const second = await log({ project: "p", run: "mine", status: "failed" }, OPERATOR_TOKEN);
    expect(second.body).toEqual({ runId: "mine-01", points: 0 });
    expect(await caller().run.get({ id: "mine-01" })).toMatchObject({
      ...{ project: "p", name: "mine", status: "failed", source: "api", tags: ["a", "b"] },
      configYaml: "lr: 0.1\nmodel:\n  name: m\n",
    });
    expect(await series("mine-01", "loss")).toMatchObject({
      step: [0, 1],
      value: [1, 0.5],
      wallMs: [expect.any(Number), 1_700_000_000_500],
    });
    expect(await series("mine-01", "reward")).toMatchObject({
      step: [0, 1, 2],
      value: [null, 3, null],
      flag: [3, 0, 1],
      wallMs: [1000, 4000, 3000],
    });
    expect((await series("mine-01", "acc/top@1"))?.value).toEqual([1]);
    // The same names in another project are another run; the same run goes on.
    expect((await log({ project: "q", run: "mine" })).body.runId).toBe("mine-02");
    expect((await log({ project: "p", run: "mine", status: "running" })).body.runId).toBe(
      "mine-01",
    );
    expect((await caller().run.get({ id: "mine-01" })).status).toBe("running");
  });

  test("a tag that a person took away does not come back when the client says it again", async () => {
    const body = { project: "p", run: "tagged", tags: ["a", "b"] };
    const { runId } = (await log(body)).body;
    await caller().run.tag({ ids: [runId], add: ["mine"], remove: ["a"] });
    await log({ ...body, tags: ["a", "b", "c"] });
    expect((await caller().run.get({ id: runId })).tags).toEqual(["b", "mine", "c"]);
  });

  test("of a client's tags as many are kept as there is room for beside people's", async () => {
    const { runId } = (await log({ project: "p", run: "full" })).body;
    await caller().run.tag({ ids: [runId], add: ["mine"] });
    const tags = Array.from({ length: 100 }, (_, n) => `t${n}`);
    expect((await log({ project: "p", run: "full", tags })).status).toBe(200);
    expect((await caller().run.get({ id: runId })).tags).toEqual(["mine", ...tags.slice(0, 99)]);
    // Once there is room the one that had none gets in, and those that were taken away stay away.
    await caller().run.tag({ ids: [runId], remove: ["t0", "t1"] });
    await log({ project: "p", run: "full", tags });
    expect((await caller().run.get({ id: runId })).tags).toEqual(["mine", ...tags.slice(2)]);
  });

  test("takes the bare words of Python's json", async () => {
    const { body } = await log(
      '{"project":"p","run":"python","rows":[{"step":1,"values":{"a NaN":NaN,"b":-Infinity}}]}',
    );
    expect(await series(body.runId, "a NaN")).toMatchObject({ flag: [1] });
    expect(await series(body.runId, "b")).toMatchObject({ flag: [3] });
  });

  test("a named request that comes again, late, changes nothing, before and after a restart", async () => {
    const request = (batch: string, value: number) => ({
      project: "p",
      run: "named",
      batch,
      rows: [{ step: 1, values: { x: value } }],
    });
    const { body } = await log(request("one", 1));
    await log(request("two", 2));
    await log(request("one", 1));
    expect((await series(body.runId, "x"))?.value).toEqual([2]);
    await app.restart();
    await log(request("one", 1));
    expect((await series(body.runId, "x"))?.value).toEqual([2]);
    // A name belongs to its run.
    await log({ ...request("one", 9), run: "other" });
    expect((await series("other-01", "x"))?.value).toEqual([9]);
  });

  test("ten programs at once make one run, and a restart in the middle loses no point", async () => {
    const persist = async (body: object) => {
      for (;;) {
        const answer = await log(body).catch(() => null);
        if (answer?.status === 200) return;
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    };
    const program = async (key: string) => {
      for (let n = 0; n < 20; n++) {
        const step = Array.from({ length: 100 }, (_, i) => n * 100 + i);
        await persist({ project: "p", run: "many", series: [{ key, step, value: step }] });
      }
    };
    const programs = Promise.all(Array.from({ length: 10 }, (_, i) => program(`k${i}`)));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await app.restart();
    await programs;
    await app.control.ctx.ingest.settle();
    expect(await app.control.ctx.db.run.count({ where: { name: "many" } })).toBe(1);
    const { keys } = await caller().metric.keys({ runId: "many-01" });
    expect(keys.map(({ points }) => points)).toEqual(Array.from({ length: 10 }, () => 2000));
    const last = await series("many-01", "k7");
    expect(last?.value).toEqual(Array.from({ length: 2000 }, (_, i) => i));
  });

  test("says what is wrong with a request, and keeps nothing of it", async () => {
    const good = { project: "p", run: "bad" };
    const row = (values: unknown, step: unknown = 1) => ({ ...good, rows: [{ step, values }] });
    const deep = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
    const refused: [unknown, RegExp][] = [
      ["", /expected object/],
      ["not json", /expected object/],
      [deep, /expected object/],
      [[], /expected object/],
      [{ run: "x" }, /project/],
      [{ ...good, project: "Not A Slug" }, /project/],
      [{ ...good, run: "../../x" }, /run/],
      [{ ...good, metric: [] }, /Unrecognized key: "metric"/],
      [{ ...good, status: "sleeping" }, /status/],
      [{ ...good, rows: {} }, /^rows is not a list$/],
      [{ ...good, rows: [null] }, /^rows\[0\] is not an object$/],
      [row({ a: 1 }, 1.5), /step 1.5 is not a whole number/],
      [row({ a: 1 }, 2 ** 31), /step 2147483648/],
      [row({ a: 1 }, "1"), /step is not a number/],
      [row({ a: 1 }, null), /step is not a number/],
      [row({ a: "high" }), /the value of a is not a number/],
      [row({ a: {} }), /the value of a is not a number/],
      [row({ "": 1 }), /a key of 0 characters/],
      [row({ ["k".repeat(301)]: 1 }), /a key of 301 characters/],
      [row({ "a\0": 1 }), /NUL/],
      [
        { ...good, rows: [{ step: -1, values: { a: 1 } }] },
        /step -1 is below 0: steps count from 0/,
      ],
      [{ ...good, rows: [{ step: 1, time: -1, values: { a: 1 } }] }, /is not a time/],
      [{ ...good, rows: [{ step: 1, time: "now", values: { a: 1 } }] }, /time is not a number/],
      [{ ...good, series: [{ key: "a", step: [1, 2], value: [1] }] }, /different lengths/],
      [{ ...good, series: [{ key: 3, step: [], value: [] }] }, /key is not text/],
      [
        row(Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`k${i}`, 1]))),
        /at most 20000 metric keys/,
      ],
      [
        {
          ...good,
          series: [
            {
              key: "a",
              step: Array.from({ length: 200_001 }, (_, i) => i),
              value: Array.from({ length: 200_001 }, () => 1),
            },
          ],
        },
        /at most 200000 points/,
      ],
      [{ ...good, config: { a: "x".repeat(1_000_001) } }, /at most 1000000 bytes/],
    ];
    for (const [body, message] of refused) {
      const answer = await log(body);
      expect(answer, JSON.stringify(body).slice(0, 100)).toMatchObject({
        status: 400,
        body: { error: { code: "BAD_REQUEST", message: expect.stringMatching(message) } },
      });
    }
    expect((await log(`{"project":"p","run":"${"x".repeat(17 * 1024 * 1024)}"}`)).status).toBe(413);
    const zipped = await fetch(`${app.base}/api/v1/metrics`, {
      method: "POST",
      body: "x",
      headers: { authorization: `Bearer ${INGEST_TOKEN}`, "content-encoding": "gzip" },
    });
    expect(zipped.status).toBe(400);
    await app.control.ctx.ingest.settle();
    expect(
      await app.control.ctx.db.series.count({ where: { runId: { startsWith: "bad-" } } }),
    ).toBe(0);
  });
});
