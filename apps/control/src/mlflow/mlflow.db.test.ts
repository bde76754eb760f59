import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appRouter } from "#router.ts";
import {
  INGEST_TOKEN,
  OPERATOR_TOKEN,
  startTestApp,
  type TestApp,
} from "#testing/start-test-app.ts";

interface Call {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
  status: number;
  response: unknown;
}
const API = "/api/2.0/mlflow";
const AUTH = { authorization: `Bearer ${INGEST_TOKEN}` };

describe("MLflow's tracking API", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.close());

  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${app.base}${path}`, {
      ...{ method, headers: { ...AUTH, "content-type": "application/json" } },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  };
  const post = (path: string, body: unknown) => ask("POST", `${API}/${path}`, body);
  const caller = () => appRouter.createCaller({ ...app.control.ctx, actor: "test" });
  const createRun = async (experiment = "0") => {
    const { body } = await post("runs/create", { experiment_id: experiment, run_name: "one" });
    return body.run.info.run_id as string;
  };
  const ourRun = async (key: string) => {
    const tracked = await app.control.ctx.db.trackedRun.findFirstOrThrow({ where: { key } });
    return tracked.runId;
  };

  test("answers what MLflow's own server answered to a recorded client, call by call", async () => {
    const url = new URL("./__fixtures__/client-requests.jsonl", import.meta.url);
    const calls: Call[] = (await readFile(url, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    // Ids are the server's to give: the recorded ones stand for those that this server gives.
    let experiment = "";
    let run = "";
    const given = (text: string) =>
      text
        .replaceAll(/(?<!0)0{31}1/g, run === "" ? "?" : run)
        .replace(/experiment_id=1$/, `experiment_id=${experiment}`)
        .replace(/("experiment_ids?":\[?)"1"/g, `$1"${experiment}"`)
        .replace(/mlflow-artifacts:\/1/g, `mlflow-artifacts:/${experiment}`)
        .replace(/artifacts\/1\//, `artifacts/${experiment}/`)
        .replace(/path=1%2F/, `path=${experiment}%2F`);
    for (const [i, call] of calls.entries()) {
      // log_dict writes its file with an indent of two.
      const indent = call.method === "PUT" ? 2 : 0;
      const body = call.body === null ? undefined : given(JSON.stringify(call.body, null, indent));
      const raw = call.headers["content-type"] === "text/plain" && typeof call.body === "string";
      const answer = await ask(call.method, given(call.path), raw ? call.body : body);
      const where = `${i}: ${call.method} ${call.path}`;
      expect(answer.status, where).toBe(call.status);
      if (call.path.endsWith("experiments/create")) experiment = answer.body.experiment_id;
      if (call.path.endsWith("runs/create")) run = answer.body.run.info.run_id;
      if (call.response === null) continue;
      expect(simplify(answer.body), where).toEqual(
        simplify(JSON.parse(given(JSON.stringify(call.response)))),
      );
    }
    const runId = await ourRun(run);
    const detail = await caller().run.get({ id: runId });
    expect(detail).toMatchObject({
      ...{ id: "run-1-01", project: "liverl-demo", name: "run-1", status: "succeeded" },
      ...{ driver: "attached", source: "mlflow", tags: ["kind=rl", "phase=train", "t=v"] },
      configYaml: 'algo: grpo\nlr: "1e-06"\nrollout.n: "8"\nseed: "1"\n',
    });
    expect(detail.counts.metrics).toBe(5);
    const tracked = (key: string) => caller().run.findTracked({ source: "mlflow", key });
    expect(await tracked(run)).toEqual({ project: "liverl-demo", runId });
    expect(await tracked("0".repeat(32))).toBeNull();
    const artifact = await ask(
      "GET",
      `/api/2.0/mlflow-artifacts/artifacts/${experiment}/${run}/artifacts/notes/note.txt`,
    );
    expect(artifact).toEqual({ status: 200, body: "hello artifact\n" });
  });

  test("ends a run as the client says, and goes on with one that had ended", async () => {
    for (const [said, status] of [
      ["FINISHED", "succeeded"],
      ["FAILED", "failed"],
      ["KILLED", "cancelled"],
    ]) {
      const key = await createRun();
      const id = await ourRun(key);
      expect((await caller().run.get({ id })).status).toBe("running");
      await post("runs/update", { run_id: key, status: said, end_time: "1700000000123" });
      await post("runs/update", { run_id: key, status: said, end_time: "1700000000123" });
      expect(await caller().run.get({ id })).toMatchObject({ status, endedAt: expect.any(String) });
      const again = await post("runs/update", { run_uuid: key, status: "RUNNING" });
      expect(again.body.run_info).toMatchObject({ status: "RUNNING", end_time: 1700000000123 });
      expect(await caller().run.get({ id })).toMatchObject({ status: "running", endedAt: null });
      expect(
        (await post("runs/log-metric", { run_id: key, key: "x", value: 1, timestamp: 1, step: 1 }))
          .status,
      ).toBe(200);
    }
  });

  test("keeps what is not finite, 64-bit integers as text, and the last write of a step", async () => {
    const key = await createRun();
    const point = (value: unknown, step: unknown) => ({
      key: "m/x",
      value,
      timestamp: "1700000000000",
      step,
    });
    const metrics = [
      point(1, 0),
      point("NaN", "1"),
      point("Infinity", 2),
      point("-Infinity", 3),
      point("0.5", 4),
      point(7, 0),
      point(Number.POSITIVE_INFINITY, 5),
    ];
    // JSON has no word for 1e999, Python's and protobuf's have.
    const body = JSON.stringify({ run_id: key, metrics }).replaceAll("null", "1e999");
    expect(await post("runs/log-batch", body)).toEqual({ status: 200, body: {} });
    const { body: history } = await ask(
      "GET",
      `${API}/metrics/get-history?run_id=${key}&metric_key=m%2Fx`,
    );
    expect(history.metrics.map((one: { value: unknown }) => one.value)).toEqual([
      7,
      "NaN",
      "Infinity",
      "-Infinity",
      0.5,
      "Infinity",
    ]);
    const { body: read } = await ask("GET", `${API}/runs/get?run_id=${key}`);
    expect(read.run.data.metrics).toEqual([
      { key: "m/x", value: "Infinity", timestamp: 1700000000000, step: 5 },
    ]);
    const { series } = await caller().metric.series({ runId: await ourRun(key), keys: ["m/x"] });
    expect(series[0]).toMatchObject({
      step: [0, 1, 2, 3, 4, 5],
      value: [7, null, null, null, 0.5, null],
      flag: [0, 1, 2, 3, 0, 2],
    });
  });

  test("gives a long history in pages, each point once", async () => {
    const key = await createRun();
    for (let from = 0; from < 3000; from += 1000)
      await post("runs/log-batch", {
        run_id: key,
        metrics: Array.from({ length: 1000 }, (_, i) => ({
          key: "m",
          value: i,
          timestamp: 1,
          step: (from + i) * 3,
        })),
      });
    const seen: number[] = [];
    for (let token: string | undefined = ""; token !== undefined; ) {
      const page = await ask(
        "GET",
        `${API}/metrics/get-history?run_id=${key}&metric_key=m&max_results=700&page_token=${token}`,
      );
      seen.push(...page.body.metrics.map((one: { step: number }) => one.step));
      token = page.body.next_page_token;
    }
    expect(seen).toEqual(Array.from({ length: 3000 }, (_, i) => i * 3));
  });

  test("tags that people gave a run, or took away from it, stay so whatever a client logs", async () => {
    const key = await createRun();
    const id = await ourRun(key);
    const tag = (value: string) => post("runs/set-tag", { run_id: key, key: "team", value });
    await tag("a");
    await caller().run.tag({ ids: [id], add: ["baseline"], remove: ["team=a"] });
    await post("runs/log-parameter", { run_id: key, key: "lr", value: "0.1" });
    const tagsOf = async () => (await caller().run.get({ id })).tags;
    expect(await tagsOf()).toEqual(["baseline"]);
    await tag("b");
    expect(await tagsOf()).toEqual(["baseline", "team=b"]);
    await post("runs/delete-tag", { run_id: key, key: "team" });
    expect(await tagsOf()).toEqual(["baseline"]);
  });

  test("never changes a param, also when two clients set it at once", async () => {
    const key = await createRun();
    const set = (value: string) => post("runs/log-parameter", { run_id: key, key: "lr", value });
    const answers = await Promise.all([set("1"), set("2"), set("1"), set("2")]);
    const refused = answers.filter(({ status }) => status === 400);
    expect(refused).toHaveLength(2);
    expect(refused[0]?.body).toMatchObject({
      error_code: "INVALID_PARAMETER_VALUE",
      message: expect.stringContaining("Changing param values is not allowed"),
    });
    const batch = {
      run_id: key,
      params: [
        { key: "new", value: "1" },
        { key: "lr", value: "3" },
      ],
    };
    expect((await post("runs/log-batch", batch)).status).toBe(400);
    const { body } = await ask("GET", `${API}/runs/get?run_id=${key}`);
    expect(body.run.data.params).toHaveLength(1);
  });

  test("two clients that log into one run at once, and a restart in the middle, lose and repeat nothing", async () => {
    const key = await createRun();
    // As MLflow's client does: what was not answered is sent again.
    const persist = async (path: string, body: unknown) => {
      for (;;) {
        const answer = await post(path, body).catch(() => null);
        if (answer?.status === 200) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const client = async (name: string) => {
      for (let n = 0; n < 40; n++)
        await persist("runs/log-batch", {
          run_id: key,
          metrics: Array.from({ length: 50 }, (_, i) => ({
            key: name,
            value: n * 50 + i,
            timestamp: 1,
            step: n * 50 + i,
          })),
          tags: [{ key: `${name}-${n}`, value: "" }],
        });
    };
    const clients = Promise.all([client("a"), client("b")]);
    await app.restart();
    await clients;
    const id = await ourRun(key);
    await app.control.ctx.ingest.settle();
    const { series } = await caller().metric.series({ runId: id, keys: ["a", "b"], buckets: 4000 });
    for (const one of series) expect(one.value).toEqual(Array.from({ length: 2000 }, (_, i) => i));
    const { keys } = await caller().metric.keys({ runId: id });
    expect(keys.map(({ points }) => points)).toEqual([2000, 2000]);
    expect((await caller().run.get({ id })).tags).toHaveLength(80);
  });

  test("runs are found by filters and in the order that is asked for", async () => {
    const { body: made } = await post("experiments/create", { name: "Suche/ü" });
    const experiment = made.experiment_id;
    const keys: string[] = [];
    for (let i = 0; i < 4; i++) {
      const { body } = await post("runs/create", {
        experiment_id: experiment,
        run_name: `r${i}`,
        start_time: 1000 + i,
      });
      const key = body.run.info.run_id;
      keys.push(key);
      await post("runs/log-batch", {
        run_id: key,
        metrics: [{ key: "a b", value: i / 10, timestamp: 1, step: 1 }],
        params: [{ key: "m.n", value: `v${i % 2}` }],
      });
    }
    const search = async (more: object) => {
      const { status, body } = await post("runs/search", { experiment_ids: [experiment], ...more });
      return status === 200
        ? body.runs.map((run: { info: { run_name: string } }) => run.info.run_name)
        : body;
    };
    expect(await search({})).toEqual(["r3", "r2", "r1", "r0"]);
    expect(await search({ filter: "metrics.`a b` > 0.05 and params.\"m.n\" = 'v0'" })).toEqual([
      "r2",
    ]);
    expect(
      await search({
        filter:
          "attributes.status = 'RUNNING' AND run_name LIKE 'r_' AND tags.\"mlflow.runName\" != 'r1'",
      }),
    ).toEqual(["r3", "r2", "r0"]);
    expect(await search({ order_by: ["params.`m.n` DESC", 'metrics."a b"'] })).toEqual([
      "r1",
      "r3",
      "r0",
      "r2",
    ]);
    expect(await search({ filter: `run_id IN ('${keys[0]}', '${keys[3]}')` })).toEqual([
      "r3",
      "r0",
    ]);
    expect(await search({ run_view_type: "DELETED_ONLY" })).toEqual([]);
    const page = await post("runs/search", { experiment_ids: [experiment], max_results: 3 });
    const rest = await post("runs/search", {
      experiment_ids: [experiment],
      max_results: 3,
      page_token: page.body.next_page_token,
    });
    expect([...page.body.runs, ...rest.body.runs]).toHaveLength(4);
    for (const filter of [
      "loss",
      "metrics.x >",
      "metrics.x ~ 3",
      "x.y = 'z'",
      "params.a = 'b' or params.c = 'd'",
      "%".repeat(9_999),
    ])
      expect(await search({ filter })).toMatchObject({ error_code: "INVALID_PARAMETER_VALUE" });
    expect(await post("experiments/create", { name: "Suche/ü" })).toMatchObject({
      status: 400,
      body: { error_code: "RESOURCE_ALREADY_EXISTS" },
    });
  });

  test("a character that no database holds is replaced in what is said, and refused in what is looked up", async () => {
    const key = await createRun();
    const odd = "a\0b\ud800";
    const entry = { run_id: key, key: `k${odd}`, value: odd };
    for (const path of ["runs/set-tag", "runs/log-parameter"])
      expect((await post(path, entry)).status, path).toBe(200);
    const batch = { run_id: key, params: [{ key: "p", value: odd }] };
    expect((await post("runs/log-batch", batch)).status).toBe(200);
    const { body } = await ask("GET", `${API}/runs/get?run_id=${key}`);
    expect(body.run.data.params).toEqual([
      { key: "ka\ufffdb\ufffd", value: "a\ufffdb\ufffd" },
      { key: "p", value: "a\ufffdb\ufffd" },
    ]);
    expect((await post("runs/delete-tag", { run_id: key, key: `k${odd}` })).status).toBe(200);
    const bad: [string, object][] = [
      ["runs/update", { run_id: "\ud800", status: "FINISHED" }],
      ["runs/log-batch", { run_id: "x\ud800" }],
      ["runs/search", { experiment_ids: [], max_results: -1 }],
      ["experiments/search", { max_results: -5 }],
      ["runs/create", { experiment_id: "0", start_time: 1e300 }],
    ];
    for (const [path, input] of bad)
      expect(await post(path, input), JSON.stringify(input)).toMatchObject({
        status: 400,
        body: { error_code: "INVALID_PARAMETER_VALUE" },
      });
    for (const query of ["metric_key=%00", "metric_key=m&max_results=-1"])
      expect(
        (await ask("GET", `${API}/metrics/get-history?run_id=${key}&${query}`)).status,
        query,
      ).toBe(400);
  });

  test("refuses what is over MLflow's limits, and keeps nothing of it", async () => {
    const key = await createRun();
    const metric = (i: number) => ({ key: `k${i}`, value: i, timestamp: 1, step: 1 });
    const entry = (i: number) => ({ key: `k${i}`, value: "v" });
    const list = <T>(n: number, make: (i: number) => T) =>
      Array.from({ length: n }, (_, i) => make(i));
    const fits = { run_id: key, metrics: list(1000, metric) };
    expect((await post("runs/log-batch", fits)).status).toBe(200);
    const refused = [
      { run_id: key, metrics: list(1001, metric) },
      { run_id: key, params: list(101, entry) },
      { run_id: key, tags: list(101, entry) },
      { run_id: key, metrics: list(950, metric), params: list(51, entry) },
      { run_id: key, tags: [{ key: "t", value: "x".repeat(1_000_000) }] },
    ];
    for (const body of refused)
      expect(await post("runs/log-batch", body)).toMatchObject({
        status: 400,
        body: { error_code: "INVALID_PARAMETER_VALUE" },
      });
    expect(
      (
        await post("runs/log-batch", {
          run_id: key,
          tags: [{ key: "t", value: "x".repeat(20_000_000) }],
        })
      ).status,
    ).toBe(400);
    const { body } = await ask("GET", `${API}/runs/get?run_id=${key}`);
    expect(body.run.data).toMatchObject({ params: [] });
    expect(body.run.data.metrics).toHaveLength(1000);
  });

  test("hostile bodies are the client's fault, in MLflow's words", async () => {
    const key = await createRun();
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const bodies: [string, unknown, number][] = [
      ["runs/log-batch", "not json", 400],
      ["runs/log-batch", deep, 400],
      ["runs/log-batch", `{"run_id":"${key}","metrics":${deep}}`, 400],
      ["runs/log-batch", "", 400],
      ["runs/log-batch", [], 400],
      ["runs/log-batch", { metrics: [] }, 400],
      ["runs/log-batch", { run_id: 7 }, 400],
      ["runs/log-batch", { run_id: "../../etc", metrics: [] }, 404],
      ["runs/log-batch", { run_id: `${key}'; DROP TABLE run; --`, metrics: [] }, 404],
      ["runs/log-batch", { run_id: "a/b/c" }, 404],
      ["runs/log-batch", { run_id: "x\0y" }, 400],
      ["runs/log-batch", { run_id: key, metrics: {} }, 400],
      ["runs/log-batch", { run_id: key, metrics: [null, 3, "x"] }, 400],
      ["runs/log-metric", { run_id: key, key: "k", value: "high", timestamp: 1, step: 1 }, 400],
      ["runs/log-metric", { run_id: key, key: "k", value: [1], timestamp: 1, step: 1 }, 400],
      ["runs/log-metric", { run_id: key, key: "k", timestamp: 1, step: 1 }, 400],
      ["runs/log-metric", { run_id: key, key: "k", value: 1, timestamp: 1, step: 1.5 }, 400],
      [
        "runs/log-metric",
        { run_id: key, key: "k", value: 1, timestamp: 1, step: "9999999999999" },
        400,
      ],
      ["runs/log-metric", { run_id: key, key: "k", value: 1, timestamp: -5, step: 1 }, 400],
      [
        "runs/log-metric",
        { run_id: key, key: "k".repeat(301), value: 1, timestamp: 1, step: 1 },
        400,
      ],
      ["runs/log-metric", { run_id: key, key: "a\0b", value: 1, timestamp: 1, step: 1 }, 400],
      ["runs/log-parameter", { run_id: key, key: "", value: "x" }, 400],
      ["runs/set-tag", { run_id: key, key: "t", value: { a: 1 } }, 400],
      ["runs/update", { run_id: key, status: "SLEEPING" }, 400],
      ["runs/create", { experiment_id: "12345" }, 404],
      ["runs/create", { experiment_id: "../0" }, 400],
      ["runs/no-such-verb", {}, 404],
      ["registered-models/create", { name: "m" }, 404],
    ];
    for (const [path, body, status] of bodies) {
      const answer = await post(path, body);
      expect(answer.status, `${path} ${JSON.stringify(body).slice(0, 80)}`).toBe(status);
      expect(answer.body).toEqual({
        error_code: expect.stringMatching(/^[A-Z_]+$/),
        message: expect.stringMatching(/^[^\n]+$/),
      });
    }
    const half = await post(
      "runs/set-tag",
      `{"run_id":"${key}","key":"t","value":"half \\ud800 x"}`,
    );
    expect(half.status).toBe(200);
    const strange = await post("runs/create", {
      experiment_id: "0",
      run_name: "../../ü #1\n/etc",
      user_id: "u",
      tags: [],
    });
    expect(await ourRun(strange.body.run.info.run_id)).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);
    expect(strange.body.run.info.run_name).toBe("../../ü #1\n/etc");
  });

  test("artifacts stay below their run's folder", async () => {
    const key = await createRun();
    const id = await ourRun(key);
    const files = "/api/2.0/mlflow-artifacts/artifacts";
    const root = join(app.control.ctx.config.dataDir, "runs", id, "artifacts");
    expect((await ask("PUT", `${files}/0/${key}/artifacts/a/b%20c.txt`, "hello")).status).toBe(200);
    expect(await readFile(join(root, "a/b c.txt"), "utf8")).toBe("hello");
    await mkdir(join(root, "..", "secret"));
    await writeFile(join(root, "..", "secret", "key"), "s");
    await symlink(join(root, "..", "secret"), join(root, "link"));
    await symlink("/etc/passwd", join(root, "passwd"));
    const bad = [
      "..%2fx",
      "%2e%2e/x",
      "a/../../x",
      "..%2f..%2f..%2fx",
      "a%00b",
      "a%5cb",
      "link/x",
      `${"d/".repeat(40)}x`,
      "n".repeat(300),
      "a/b%20c.txt/x",
      "a",
    ];
    for (const name of bad) {
      const response = await ask("PUT", `${files}/0/${key}/artifacts/${name}`, "x");
      // What Node's own client resolves before it sends it ends outside of the route.
      expect([400, 403, 404], name).toContain(response.status);
    }
    for (const name of ["link/key", "passwd", "..%2fsecret%2fkey", "nothing"])
      expect([400, 404], name).toContain(
        (await ask("GET", `${files}/0/${key}/artifacts/${name}`)).status,
      );
    const listed = await ask("GET", `${files}?path=${encodeURIComponent(`0/${key}/artifacts`)}`);
    expect(listed.body).toEqual({ files: [{ path: "a", is_dir: true }] });
    expect(
      (await ask("GET", `${files}?path=${encodeURIComponent(`0/${key}/artifacts/../..`)}`)).status,
    ).toBe(400);
    expect((await ask("PUT", `${files}/0/unknown/artifacts/x`, "x")).status).toBe(404);
    const file = `${files}/0/${key}/artifacts/a/b%20c.txt`;
    expect((await ask("DELETE", file)).status).toBe(403);
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    expect((await fetch(`${app.base}${file}`, { method: "DELETE", headers })).status).toBe(200);
    expect(
      (await ask("GET", `${files}?path=${encodeURIComponent(`0/${key}/artifacts/a`)}`)).body,
    ).toEqual({ files: [] });
    expect(await readFile(join(root, "..", "secret", "key"), "utf8")).toBe("s");
  });
});

/** Without what MLflow 3.17.2 says beyond its contract, and with lists whose order means nothing by key. */
function simplify(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(simplify);
    const keyOf = (item: unknown) =>
      typeof item === "object" && item !== null && "key" in item ? `${item.key}` : "";
    return items.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key]) =>
          ![
            "sqlstate",
            "error_class",
            "workspace",
            "last_update_time",
            "creation_time",
            "message",
            "outputs",
          ].includes(key),
      )
      .filter(([, held]) => !(Array.isArray(held) && held.length === 0))
      .map(([key, held]) => [key, simplify(held)]),
  );
}
