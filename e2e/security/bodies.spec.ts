import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { attempt, test } from "#fixtures/attacker.ts";
import { expect, type LiveRL } from "#fixtures/liverl.ts";

const tokenIn = async ({ dataDir }: LiveRL, file: string) =>
  (await readFile(join(dataDir, file), "utf8")).trim();
const rowsOf = (values: Record<string, number>) => [{ step: 1, values }];
const keys = (count: number, prefix: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, i]));

test("names that every object has are no fields of MLflow's search", async ({ liverl }) => {
  const token = await tokenIn(liverl, "ingest.token");
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "__proto__.x"])
    for (const body of [{ order_by: [name] }, { filter: `${name} = 'x'` }]) {
      const answer = await attempt(liverl, "/api/2.0/mlflow/runs/search", {
        token,
        body: { experiment_ids: ["1"], ...body },
      });
      expect(answer.status, `${name}: ${answer.text}`).toBe(400);
    }
});

test("a refused request takes none of a run's keys", async ({ liverl }) => {
  const token = await tokenIn(liverl, "ingest.token");
  const send = (values: Record<string, number>) =>
    attempt(liverl, "/api/v1/metrics", {
      token,
      body: { project: "attack", run: "keys", rows: rowsOf(values) },
    });
  expect((await send({ first: 1 })).status).toBe(200);
  expect((await send(keys(25_000, "many"))).status).toBe(400);
  const after = await send({ second: 1 });
  expect(after.status, after.text).toBe(200);
});

test("900,000 keys in a body are refused before they are parsed, and nobody waits", async ({
  liverl,
}) => {
  const token = await tokenIn(liverl, "ingest.token");
  const post = (run: string, values: Record<string, number>) =>
    attempt(liverl, "/api/v1/metrics", {
      token,
      body: { project: "attack", run, rows: rowsOf(values) },
    });
  expect((await post("calm", { a: 1 })).status).toBe(200);
  const huge = post("huge", keys(900_000, "k"));
  const began = performance.now();
  expect((await post("calm", { a: 2 })).status).toBe(200);
  const waited = performance.now() - began;
  const refused = await huge;
  expect(refused.status).toBe(400);
  expect(refused.text).toContain("at most 200000 points");
  expect(waited).toBeLessThan(5_000);
});

test("a body of 17 MB gets an answer, not a cut connection", async ({ liverl }) => {
  const token = await tokenIn(liverl, "ingest.token");
  // MLflow itself answers 400 where a body is too large.
  for (const [path, status] of [
    ["/api/v1/metrics", 413],
    ["/api/2.0/mlflow/runs/create", 400],
  ] as const) {
    const answer = await attempt(liverl, path, { token, body: { text: "x".repeat(17_000_000) } });
    expect(answer.status, path).toBe(status);
    expect(answer.text).toMatch(/larger|too large/i);
  }
});

/** Values that a route may not expect, in the place of any value of its input. */
const ODD: unknown[] = [
  ...[null, true, -1, 1e308, 0.5, "", "__proto__", "\u0000", "\ud800", "x".repeat(5_000)],
  ...[[], {}, [[[[[]]]]], { __proto__: null, constructor: 1 }, [1, "2", null]],
];

test("no route answers odd bodies with a fault of its own", async ({ liverl }) => {
  test.setTimeout(240_000);
  const token = await tokenIn(liverl, "operator.token");
  const document = JSON.parse((await attempt(liverl, "/api/v1/openapi.json", { token })).text);
  const faults: string[] = [];
  let sent = 0;
  for (const [path, methods] of Object.entries<Record<string, { parameters?: { name: string }[] }>>(
    document.paths,
  ))
    for (const [method, { parameters = [] }] of Object.entries(methods)) {
      // What changes the installation itself, starts work for minutes, or streams for ever.
      if (/live|tail|watch|token|login|import|archive|export|launch|replay/.test(path)) continue;
      const isRead = method === "get";
      const asked = isRead
        ? ODD.map((odd) => {
            const query = new URLSearchParams(
              parameters.map(({ name }) => [name, JSON.stringify(odd) ?? ""]),
            );
            return attempt(liverl, `${path.replace(/\{\w+\}/g, "x")}?${query}`, { token });
          })
        : ODD.map((odd) =>
            attempt(liverl, path.replace(/\{\w+\}/g, "x"), {
              ...{ token, method: method.toUpperCase() },
              body:
                typeof odd === "object" && odd !== null
                  ? odd
                  : { id: odd, runId: odd, ids: odd, step: odd },
            }),
          );
      for (const answer of await Promise.all(asked)) {
        sent += 1;
        if (answer.status >= 500 && answer.status !== 503)
          faults.push(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
      }
    }
  expect(sent).toBeGreaterThan(500);
  expect(faults).toEqual([]);
});
