import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { appRouter } from "#router.ts";
import {
  INGEST_TOKEN,
  OPERATOR_TOKEN,
  startTestApp,
  type TestApp,
} from "#testing/start-test-app.ts";

interface Recorded {
  m: string;
  p: string;
  b: { query?: string; operationName?: string; variables?: Record<string, unknown> } & Record<
    string,
    unknown
  >;
}
const AUTH = { authorization: `Basic ${Buffer.from(`api:${INGEST_TOKEN}`).toString("base64")}` };
const Answer = z.object({ data: z.record(z.string(), z.unknown()) });

describe("what the wandb client asks", () => {
  let app: TestApp;
  let recorded: Recorded[];
  beforeAll(async () => {
    app = await startTestApp();
    const url = new URL("./__fixtures__/client-requests.jsonl", import.meta.url);
    recorded = (await readFile(url, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  });
  afterAll(() => app.close());

  const send = (method: string, path: string, body: unknown) =>
    fetch(path.startsWith("http") ? path : `${app.base}${path}`, {
      ...{ method, headers: { ...AUTH, "content-type": "application/json" } },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const graphql = async (operationName: string, variables: object) => {
    const response = await send("POST", "/graphql", { query: "", operationName, variables });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const caller = () => appRouter.createCaller({ ...app.control.ctx, actor: "test" });
  const runOf = async (key: string) =>
    (await app.control.ctx.db.trackedRun.findFirstOrThrow({ where: { source: "wandb", key } }))
      .runId;
  const start = async (name: string, more: object = {}) => {
    const { status } = await graphql("UpsertBucket", { name, project: "p", entity: null, ...more });
    expect(status).toBe(200);
    return runOf(`liverl/p/${name}`);
  };
  const stream = (name: string, body: unknown) =>
    send("POST", `/files/liverl/p/${name}/file_stream`, body);
  const history = (offset: number, ...lines: unknown[]) => ({
    files: {
      "wandb-history.jsonl": {
        offset,
        content: lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))),
      },
    },
  });
  const values = async (runId: string, key: string) => {
    await app.control.ctx.ingest.settle();
    const { series } = await caller().metric.series({ runId, keys: [key] });
    return series[0];
  };

  test("a recorded client's run arrives whole: points, configuration, console, files, tables and its end", async () => {
    // Places that the server gives: the recorded ones stand for those that this server answers with.
    const given = new Map<string, string>();
    const note = (recordedAt: string, url: unknown) => given.set(recordedAt, String(url));
    for (const [i, { m, p, b }] of recorded.entries()) {
      const path = given.get(p) ?? p.replace("/files/local/", "/files/liverl/");
      const body = JSON.stringify(b)
        .replaceAll('"local"', '"liverl"')
        .replaceAll('"a1"', JSON.stringify(given.get("artifact") ?? "a1"));
      const response = await send(
        m,
        path,
        p.startsWith("/upload") && typeof b === "string" ? b : body,
      );
      expect(response.status, `${i}: ${m} ${p} ${b.operationName ?? ""}`).toBe(200);
      const text = await response.text();
      if (p !== "/graphql") continue;
      const { data } = Answer.parse(JSON.parse(text));
      if (b.operationName === "CreateRunFiles") {
        const { files, uploadHeaders } = z
          .object({
            createRunFiles: z.object({
              uploadHeaders: z.array(z.string()),
              files: z.array(z.object({ name: z.string(), uploadUrl: z.string() })),
            }),
          })
          .parse(data).createRunFiles;
        expect(uploadHeaders).toEqual([`Authorization:${AUTH.authorization}`]);
        for (const { name, uploadUrl } of files) note(`/upload/${name}`, uploadUrl);
      }
      if (b.operationName === "CreateArtifact")
        note(
          "artifact",
          z
            .object({ createArtifact: z.object({ artifact: z.object({ id: z.string() }) }) })
            .parse(data).createArtifact.artifact.id,
        );
      if (b.operationName === "CreateArtifactFiles") {
        const Edges = z.object({
          createArtifactFiles: z.object({
            files: z.object({
              edges: z.array(z.object({ node: z.object({ uploadUrl: z.string() }) })),
            }),
          }),
        });
        note(
          "/upload/art/val/generations.table.json",
          Edges.parse(data).createArtifactFiles.files.edges[0]?.node.uploadUrl,
        );
      }
      if (b.operationName === "CreateArtifactManifest" && b.variables?.includeUpload) {
        const Manifest = z.object({
          createArtifactManifest: z.object({
            artifactManifest: z.object({ file: z.object({ uploadUrl: z.string() }) }),
          }),
        });
        note(
          "/upload/manifest",
          Manifest.parse(data).createArtifactManifest.artifactManifest.file.uploadUrl,
        );
      }
    }
    const runId = await runOf("liverl/proj/fixedid");
    expect(await caller().run.get({ id: runId })).toMatchObject({
      ...{ project: "proj", name: "run-a", driver: "attached", source: "wandb" },
      ...{ status: "succeeded", configYaml: "lr: 0.001\nlate: 1\n", step: expect.any(Number) },
    });
    expect(await values(runId, "actor/loss")).toMatchObject({
      step: [0, 1, 2, 3, 4],
      value: [1, 0.5, 1 / 3, 0.25, 0.2],
    });
    expect(await values(runId, "critic/score/mean")).toMatchObject({
      value: [0, 0.1, null, 0.30000000000000004, 0.4],
      flag: [0, 0, 1, 0, 0],
    });
    expect((await values(runId, "system.cpu"))?.step).toEqual([0, 1, 2, 3, 4, 5]);
    const { keys } = await caller().metric.keys({ runId });
    expect(keys.filter(({ key }) => key.startsWith("_") || key.includes("generations"))).toEqual(
      [],
    );
    const root = join(app.control.ctx.config.dataDir, "runs", runId);
    expect(await readFile(join(root, "logs/output.log"), "utf8")).toBe(
      "2026-11-20T20:33:15.454218 hello console line\n",
    );
    const { sources } = await caller().log.sources({ runId });
    expect(sources[0]).toMatchObject({ id: "output", label: "Console", sizeBytes: 46 });
    const files = (await readdir(join(root, "files"), { recursive: true })).sort();
    expect(files).toContain("media/table/val/generations_2_65fdb6ae72e142952048.table.json");
    expect(files).toEqual(
      expect.arrayContaining([
        "config.yaml",
        "output.log",
        "requirements.txt",
        "wandb-metadata.json",
        "wandb-summary.json",
      ]),
    );
    const artifacts = await readdir(join(root, "artifacts"), { recursive: true });
    expect(artifacts.filter((name) => name.endsWith(".json"))).toHaveLength(2);
  });

  test("a repeated request changes nothing, and lines that come again are not there twice", async () => {
    const runId = await start("again");
    const first = {
      files: {
        ...history(
          0,
          { _step: 0, _timestamp: 1.7e9, loss: 1 },
          { _step: 1, _timestamp: 1.7e9, loss: 2 },
        ).files,
        "output.log": { offset: 0, content: ["one", "two 10%"] },
      },
    };
    for (let i = 0; i < 3; i++) expect((await stream("again", first)).status).toBe(200);
    // A progress bar writes its line again; a gap keeps its place.
    await stream("again", { files: { "output.log": { offset: 1, content: ["two 90%"] } } });
    await stream("again", { files: { "output.log": { offset: 4, content: ["five"] } } });
    await stream("again", { files: { "output.log": { offset: 0, content: ["ONE"] } } });
    expect(await values(runId, "loss")).toMatchObject({ step: [0, 1], value: [1, 2], n: [1, 1] });
    const path = join(app.control.ctx.config.dataDir, "runs", runId, "logs/output.log");
    expect((await readFile(path, "utf8")).split("\n")).toEqual([
      "ONE",
      "two 90%",
      "",
      "",
      "five",
      "",
    ]);
    expect((await caller().metric.keys({ runId })).keys).toMatchObject([
      { key: "loss", points: 2 },
    ]);
  });

  test("a client that resumes is told where to go on, and its run runs again", async () => {
    const runId = await start("resumed", {
      config: '{"a":{"value":[1,{"b":NaN}]}}',
      displayName: "nice name",
      tags: ["x"],
    });
    await stream(
      "resumed",
      history(
        0,
        { _step: 4, _runtime: 9, _timestamp: 1.7e9, loss: 1 },
        { _step: 7, _runtime: 12, _timestamp: 1.7e9, loss: 2 },
      ),
    );
    await stream("resumed", {
      files: { "wandb-summary.json": { offset: 0, content: ['{"loss":NaN}'] } },
      complete: true,
      exitcode: 3,
    });
    expect(await caller().run.get({ id: runId })).toMatchObject({
      status: "failed",
      statusReason: "exit code 3",
    });
    await app.restart();
    const { body } = await graphql("RunResumeStatus", {
      name: "resumed",
      project: "p",
      entity: "liverl",
    });
    const { bucket } = body.data.model;
    expect(bucket).toMatchObject({
      historyLineCount: 2,
      eventsLineCount: 0,
      displayName: "nice name",
      tags: ["x"],
    });
    expect(JSON.parse(JSON.parse(bucket.historyTail)[0])).toEqual({
      _step: 7,
      _runtime: 12,
      _timestamp: 1.7e9,
    });
    expect(JSON.parse(bucket.config)).toEqual({ a: { value: [1, { b: "NaN" }] } });
    expect(JSON.parse(bucket.summaryMetrics)).toEqual({ loss: "NaN" });
    const { body: upserted } = await graphql("UpsertBucket", {
      name: "resumed",
      project: "p",
      entity: "liverl",
    });
    expect(upserted.data.upsertBucket).toMatchObject({
      inserted: false,
      bucket: { historyLineCount: 2 },
    });
    await stream("resumed", history(2, { _step: 8, _timestamp: 1.7e9, loss: 3 }));
    expect((await caller().run.get({ id: runId })).status).toBe("running");
    await stream("resumed", { complete: true, exitcode: 0 });
    expect((await caller().run.get({ id: runId })).status).toBe("succeeded");
    expect(await values(runId, "loss")).toMatchObject({ step: [4, 7, 8], value: [1, 2, 3] });
    expect(
      (await graphql("RunResumeStatus", { name: "unknown", project: "p", entity: "liverl" })).body,
    ).toEqual({ data: { model: null } });
  });

  test("a run that somebody stopped here stays so, and its points are kept", async () => {
    const runId = await start("stopped");
    await caller().run.stop({ id: runId, when: "now" });
    await stream("stopped", history(0, { _step: 0, _timestamp: 1.7e9, loss: 1 }));
    expect((await caller().run.get({ id: runId })).status).toBe("stopped");
    expect((await values(runId, "loss"))?.value).toEqual([1]);
  });

  test("nested values are joined with a dot, media is no metric, and what can not be kept is told once", async () => {
    const runId = await start("nested");
    const line = {
      _step: 1,
      _timestamp: 1.7e9,
      a: { b: { c: 1 }, text: "x" },
      h: { _type: "histogram", values: [1] },
      on: true,
      none: null,
      list: [1],
      inf: "Infinity",
      ["k".repeat(400)]: 1,
    };
    expect(
      (await stream("nested", history(0, line, line, "not json", { _step: 1.5, x: 1 }))).status,
    ).toBe(200);
    await app.control.ctx.ingest.settle();
    const { keys } = await caller().metric.keys({ runId });
    expect(keys.map(({ key }) => key).sort()).toEqual(["a.b.c", "inf", "on"]);
    const { events } = await caller().run.events({ id: runId });
    expect(events.filter(({ kind }) => kind === "alert")).toMatchObject([
      { message: "4 logged values could not be kept: a key of 400 characters" },
    ]);
  });

  test("a step that was written as text is read, and a line without a number for one is left out", async () => {
    const runId = await start("textual");
    const lines = [
      { _step: "7", _timestamp: "1700000000.5", loss: 1 },
      { _step: "seven", loss: 2 },
      { _step: {}, loss: 3 },
      { _step: null, loss: 4 },
    ];
    expect((await stream("textual", history(0, ...lines))).status).toBe(200);
    const loss = await values(runId, "loss");
    expect([loss?.step, loss?.value]).toEqual([[7], [1]]);
    const { events } = await caller().run.events({ id: runId });
    expect(events.find(({ kind }) => kind === "alert")?.message).toMatch(
      /^3 logged values could not be kept: a line's _step is "seven"/,
    );
  });

  test("of more keys than a run may have those that fit are kept, and the first that does not is named once", async () => {
    const runId = await start("keys");
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i]));
    expect((await stream("keys", history(0, { _step: 1, ...many }))).status).toBe(200);
    for (const step of [2, 3])
      expect(
        (await stream("keys", history(step, { _step: step, k0: step, one: 1, more: 2 }))).status,
      ).toBe(200);
    expect((await values(runId, "k0"))?.value).toEqual([0, 2, 3]);
    expect(await values(runId, "one")).toBeUndefined();
    const { events } = await caller().run.events({ id: runId });
    const alerts = events.filter(({ kind }) => kind === "alert");
    expect(alerts).toHaveLength(1);
    expect(alerts[0]?.message).toMatch(/at most 20000 metric keys; one would be one more/);
  });

  test("the links that the client prints lead to the run and its project, for people who are signed in", async () => {
    await graphql("UpsertBucket", { name: "linked", project: "My Project" });
    const runId = await runOf("liverl/My Project/linked");
    const follow = async (path: string, token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${app.base}${path}`, { headers, redirect: "manual" });
      return [answer.status, answer.headers.get("location")];
    };
    const link = "/liverl/My%20Project/runs/linked";
    expect(await follow(link, OPERATOR_TOKEN)).toEqual([302, `/p/my-project/runs/${runId}`]);
    expect(await follow("/liverl/My%20Project", OPERATOR_TOKEN)).toEqual([
      302,
      "/p/my-project/runs",
    ]);
    expect(await follow("/liverl/p/runs/none", OPERATOR_TOKEN)).toEqual([404, null]);
    expect(await follow(link, INGEST_TOKEN)).toEqual([403, null]);
    expect(await follow(link, "x")).toEqual([401, null]);
  });

  test("two clients at once with one new run make one run", async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => start("at-once")));
    expect(new Set(ids).size).toBe(1);
    expect(await app.control.ctx.db.run.count({ where: { name: "at-once" } })).toBe(1);
  });

  test("hostile requests are the client's fault, and stay inside", async () => {
    await start("hostile");
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    for (const body of ["", "not json", "[]", deep, '{"query":3}', '{"query":"x","variables":[]}'])
      expect((await send("POST", "/graphql", body)).status, body.slice(0, 40)).toBe(400);
    for (const variables of [
      {},
      { name: "a/b", project: "p" },
      { name: 3 },
      { name: "x", project: "../p/q" },
      { name: "n\0" },
      { name: "n\ud800" },
      { name: "x".repeat(400) },
    ])
      expect(
        (await graphql("UpsertBucket", variables)).status,
        JSON.stringify(variables).slice(0, 60),
      ).toBe(400);
    expect(
      (
        await graphql("UpsertBucket", {
          name: "deep",
          project: "..",
          config: `{"a":{"value":${deep}}}`,
        })
      ).status,
    ).toBe(200);
    const deepId = await runOf("liverl/../deep");
    expect((await caller().run.get({ id: deepId })).project).toBe("default");
    expect(
      (
        await graphql("UpsertBucket", {
          name: "large",
          project: "p",
          config: JSON.stringify({ a: { value: "x".repeat(2_000_000) } }),
        })
      ).status,
    ).toBe(200);
    expect((await caller().run.get({ id: await runOf("liverl/p/large") })).configYaml).toBeNull();
    expect((await graphql("NoSuchOperation", {})).body).toEqual({ data: {} });
    for (const body of [
      "",
      "x",
      "[]",
      { files: { "wandb-history.jsonl": { offset: -1, content: [] } } },
      { files: { "wandb-history.jsonl": { offset: 0, content: [3] } } },
      { exitcode: "zero" },
    ])
      expect((await stream("hostile", body)).status).toBe(400);
    expect((await stream("nobody", {})).status).toBe(404);
    expect((await stream("hostile", "x".repeat(17 * 1024 * 1024))).status).toBe(413);
    for (const name of ["..%2f..%2fx", "a/%2e%2e%2fb", "%00", "a%5cb", `${"d/".repeat(40)}x`])
      expect([400, 404], name).toContain(
        (await send("PUT", `/files/liverl/p/hostile/file/${name}`, "x")).status,
      );
    for (const artifactID of [
      "",
      "a1",
      Buffer.from('{"path":{"run":"a/b"},"folder":"x"}').toString("base64url"),
    ])
      expect((await graphql("CommitArtifact", { artifactID })).status).toBe(404);
    const evil = Buffer.from(
      '{"path":{"run":"hostile","project":"p"},"folder":"../../.."}',
    ).toString("base64url");
    const { body } = await graphql("CreateArtifactFiles", {
      input: { artifactFiles: [{ artifactID: evil, name: "x" }] },
    });
    const { uploadUrl } = body.data.createArtifactFiles.files.edges[0].node;
    expect([400, 403, 404]).toContain((await send("PUT", uploadUrl, "x")).status);
  });
});
