import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR_TOKEN, startTestApp, type TestApp } from "#testing/start-test-app.ts";

const authorization = `Bearer ${OPERATOR_TOKEN}`;
const headers = { authorization, "content-type": "application/json" };
const SENT = [
  { key: 'odd,"key"', step: [1, 2], value: [0.25, 1e-9], time: [1_700_000_000.5, 1_700_000_001] },
  {
    key: "loss",
    step: [0, 1, 2, 3],
    value: [1, "NaN", "Infinity", "-Infinity"],
    time: [1, 2, 3, 4],
  },
];

describe("export of metrics", () => {
  let app: TestApp;
  let runId: string;
  const ask = (body: unknown, id = runId) =>
    fetch(`${app.base}/api/v1/runs/${id}/metrics/export`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
  const log = async (body: unknown) => {
    const sent = await fetch(`${app.base}/api/v1/metrics`, {
      method: "POST",
      headers,
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return (await sent.json()) as { runId: string; points: number };
  };
  beforeAll(async () => {
    app = await startTestApp();
    ({ runId } = await log({ project: "p", run: "mine", series: SENT }));
    await app.control.ctx.ingest.settle();
  });
  afterAll(() => app.close());

  test("CSV has a line a point, with what is not finite and keys that need quotes", async () => {
    const answer = await ask({ format: "csv" });
    expect(answer.headers.get("content-disposition")).toBe(
      `attachment; filename="${runId}-metrics.csv"`,
    );
    expect((await answer.text()).split("\r\n")).toEqual([
      "key,step,wall_time,value",
      "loss,0,1970-01-01T00:00:01.000Z,1",
      "loss,1,1970-01-01T00:00:02.000Z,NaN",
      "loss,2,1970-01-01T00:00:03.000Z,Infinity",
      "loss,3,1970-01-01T00:00:04.000Z,-Infinity",
      '"odd,""key""",1,2023-11-14T22:13:20.500Z,0.25',
      '"odd,""key""",2,2023-11-14T22:13:21.000Z,1e-9',
      "",
    ]);
  });

  test("a key that a spreadsheet would run is text in CSV, and itself in JSON", async () => {
    const keys = ["=1+1", "+a", "-a", "@a", "\ta", '=HYPERLINK("//x")'];
    const series = keys.map((key) => ({ key, step: [1], value: [-2] }));
    const { runId: odd } = await log({ project: "p", run: "odd", series });
    await app.control.ctx.ingest.settle();
    const lines = (await (await ask({ format: "csv", keys }, odd)).text()).split("\r\n");
    expect(lines.slice(1, -1).map((line) => line.replace(/,[^,]*(?=,-2$)/, ""))).toEqual([
      ...["'=1+1,1,-2", "'+a,1,-2", "'-a,1,-2", "'@a,1,-2", "'\ta,1,-2"],
      `"'=HYPERLINK(""//x"")",1,-2`,
    ]);
    expect(await (await ask({ format: "json", keys }, odd)).json()).toMatchObject({
      series: keys.map((key) => ({ key })),
    });
  });

  test("JSON is a body that can be logged again, into a run that then exports the same", async () => {
    const text = await (await ask({ format: "json" })).text();
    expect(JSON.parse(text)).toMatchObject({
      project: "p",
      run: "mine",
      series: [SENT[1], SENT[0]],
    });
    const again = await log(text.replace('"run":"mine"', '"run":"copy"'));
    expect(again.points).toBe(6);
    await app.control.ctx.ingest.settle();
    const copied = await (await ask({ format: "json" }, again.runId)).json();
    expect(copied).toEqual({ ...JSON.parse(text), run: "copy" });
  });

  test("Parquet is read by another program, with the very numbers", async () => {
    const file = await (await ask({ format: "parquet" })).arrayBuffer();
    const rows = await parquetReadObjects({ file });
    expect(rows.map(({ key, step, value }) => [key, step, value])).toEqual([
      ["loss", 0, 1],
      ["loss", 1, Number.NaN],
      ["loss", 2, Number.POSITIVE_INFINITY],
      ["loss", 3, Number.NEGATIVE_INFINITY],
      ['odd,"key"', 1, 0.25],
      ['odd,"key"', 2, 1e-9],
    ]);
    expect(rows[4]?.wall_time).toEqual(new Date(1_700_000_000_500));
  });

  test("only the keys and steps asked for; a key that nobody logged is left out", async () => {
    const answer = await ask({ format: "csv", keys: ["loss", "none", "loss"], range: [1, 2] });
    expect((await answer.text()).split("\r\n").map((line) => line.split(",")[1])).toEqual([
      "step",
      "1",
      "2",
      undefined,
    ]);
    const empty = await ask({ format: "parquet", keys: ["none"] });
    expect(await parquetReadObjects({ file: await empty.arrayBuffer() })).toEqual([]);
  });

  test("more points than a page and a row group hold come whole", async () => {
    const step = Array.from({ length: 130_000 }, (_, i) => i);
    const { runId: long } = await log({
      project: "p",
      run: "long",
      series: [{ key: "x", step, value: step }],
    });
    await app.control.ctx.ingest.settle();
    const file = await (await ask({ format: "parquet" }, long)).arrayBuffer();
    const rows = await parquetReadObjects({ file });
    expect(rows).toHaveLength(step.length);
    expect(rows.every((row, i) => row.step === i && row.value === i)).toBe(true);
  });

  test("a wrong request says what is wrong", async () => {
    expect((await ask({ format: "xlsx" })).status).toBe(400);
    expect((await ask({ format: "csv" }, "nothing-01")).status).toBe(404);
    expect(
      (await fetch(`${app.base}/api/v1/runs/${runId}/metrics/export`, { method: "POST" })).status,
    ).toBe(401);
  });
});
