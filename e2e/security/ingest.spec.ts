import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { post } from "#fixtures/ask.ts";
import { type Answer, attempt, test, tokenOf } from "#fixtures/attacker.ts";
import { expect, type LiveRL } from "#fixtures/liverl.ts";

const MLFLOW = "/api/2.0/mlflow";
const FILES = "/api/2.0/mlflow-artifacts/artifacts";

/** A new ingest token of a project. */
async function ingestToken(liverl: LiveRL, project: string): Promise<string> {
  const name = `ingest-${project}-${Math.random().toString(36).slice(2, 8)}`;
  return (await post(liverl, "/api/v1/token/create", { name, scope: "ingest", project })).token;
}

/** Begins a run by MLflow's protocol: the ids that a client knows it by. */
async function begin(
  liverl: LiveRL,
  token: string,
  name: string,
): Promise<{ run: string; experiment: string }> {
  const made = await attempt(liverl, `${MLFLOW}/experiments/create`, { token, body: { name } });
  const found =
    made.status === 200
      ? JSON.parse(made.text).experiment_id
      : JSON.parse(
          (
            await attempt(liverl, `${MLFLOW}/experiments/get-by-name?experiment_name=${name}`, {
              token,
            })
          ).text,
        ).experiment.experiment_id;
  const body = { experiment_id: found, run_name: "r" };
  const { status, text } = await attempt(liverl, `${MLFLOW}/runs/create`, { token, body });
  expect(status, text).toBe(200);
  return { run: JSON.parse(text).run.info.run_id, experiment: found };
}

/** All that a tracker's client may do to a run, tried by somebody else. */
async function touch(
  liverl: LiveRL,
  token: string,
  { run, experiment }: { run: string; experiment: string },
): Promise<Record<string, Answer>> {
  const file = `${FILES}/${experiment}/${run}/artifacts/notes.txt`;
  const metric = { run_id: run, key: "a", value: 1, timestamp: 1, step: 1 };
  return {
    get: await attempt(liverl, `${MLFLOW}/runs/get?run_id=${run}`, { token }),
    history: await attempt(liverl, `${MLFLOW}/metrics/get-history?run_id=${run}&metric_key=a`, {
      token,
    }),
    end: await attempt(liverl, `${MLFLOW}/runs/update`, {
      token,
      body: { run_id: run, status: "FAILED" },
    }),
    metric: await attempt(liverl, `${MLFLOW}/runs/log-metric`, { token, body: metric }),
    batch: await attempt(liverl, `${MLFLOW}/runs/log-batch`, {
      token,
      body: { run_id: run, metrics: [metric], params: [], tags: [] },
    }),
    tag: await attempt(liverl, `${MLFLOW}/runs/set-tag`, {
      token,
      body: { run_id: run, key: "k", value: "v" },
    }),
    deleteTag: await attempt(liverl, `${MLFLOW}/runs/delete-tag`, {
      token,
      body: { run_id: run, key: "k" },
    }),
    write: await attempt(liverl, file, { token, method: "PUT" }),
    read: await attempt(liverl, file, { token }),
    list: await attempt(liverl, `${FILES}?path=${experiment}/${run}/artifacts`, { token }),
  };
}

test("an ingest token of one project begins and writes runs of that project alone", async ({
  liverl,
}) => {
  const [one, two] = [await ingestToken(liverl, "one"), await ingestToken(liverl, "two")];
  expect(one).toMatch(/^[0-9a-f]{40}$/);
  const own = await begin(liverl, one, "one");
  for (const [what, { status, text }] of Object.entries(await touch(liverl, one, own)))
    if (what !== "read") expect(status, `${what}: ${text}`).toBe(200);
  for (const [what, { status, text }] of Object.entries(await touch(liverl, two, own)))
    expect(status, `${what}: ${text}`).toBe(403);
  const elsewhere = { name: "two" };
  expect(
    (await attempt(liverl, `${MLFLOW}/experiments/create`, { token: one, body: elsewhere })).status,
  ).toBe(403);
  const log = (token: string, project: string) =>
    attempt(liverl, "/api/v1/metrics", {
      token,
      body: { project, run: "logged", rows: [{ step: 1, values: { a: 1 } }] },
    });
  expect((await log(one, "one")).status).toBe(200);
  expect((await log(two, "one")).status).toBe(403);
  const upsert = (token: string, project: string) =>
    attempt(liverl, "/graphql", {
      token,
      body: {
        query: "mutation UpsertBucket { x }",
        operationName: "UpsertBucket",
        variables: { entity: "liverl", project, name: "w" },
      },
    });
  expect((await upsert(one, "one")).status).toBe(200);
  expect((await upsert(two, "one")).status).toBe(403);
  const searched = await attempt(liverl, `${MLFLOW}/runs/search`, {
    ...{ token: two, body: { experiment_ids: [own.experiment] } },
  });
  expect(JSON.parse(searched.text).runs).toEqual([]);
});

test("no ingest token deletes, reads pages, or makes tokens", async ({ liverl }) => {
  const token = await ingestToken(liverl, "three");
  const shared = (await readFile(join(liverl.dataDir, "ingest.token"), "utf8")).trim();
  const own = await begin(liverl, token, "three");
  const file = `${FILES}/${own.experiment}/${own.run}/artifacts/notes.txt`;
  for (const one of [token, shared]) {
    expect((await attempt(liverl, file, { token: one, method: "DELETE" })).status).toBe(403);
    for (const path of ["/", "/api/v1/run/list", "/trpc/run.list", "/api/v1/token/list"])
      expect((await attempt(liverl, path, { token: one })).status, path).toBe(403);
  }
});

test("the token that all trainers share writes only runs that it began", async ({ liverl }) => {
  const shared = (await readFile(join(liverl.dataDir, "ingest.token"), "utf8")).trim();
  const others = await begin(liverl, await ingestToken(liverl, "four"), "four");
  for (const [what, { status, text }] of Object.entries(await touch(liverl, shared, others)))
    expect(status, `${what}: ${text}`).toBe(403);
  const operators = await begin(liverl, await tokenOf(liverl, "operate"), "five");
  for (const [what, { status, text }] of Object.entries(await touch(liverl, shared, operators)))
    expect(status, `${what}: ${text}`).toBe(403);
  const own = await begin(liverl, shared, "five");
  expect((await touch(liverl, shared, own)).metric?.status).toBe(200);
});

test("a revoked ingest token logs nothing more, and its making is checked", async ({ liverl }) => {
  const admin = await tokenOf(liverl, "admin");
  const make = (body: object) => attempt(liverl, "/api/v1/token/create", { token: admin, body });
  expect((await make({ name: "none", scope: "ingest" })).status).toBe(400);
  expect((await make({ name: "none", scope: "read", project: "x" })).status).toBe(400);
  const made = JSON.parse(
    (await make({ name: "short", scope: "ingest", project: "six", days: 1 })).text,
  );
  expect(Date.parse(made.expiresAt)).toBeLessThan(Date.now() + 25 * 3_600_000);
  await begin(liverl, made.token, "six");
  await attempt(liverl, "/api/v1/token/revoke", { token: admin, body: { name: "short" } });
  const { status } = await attempt(liverl, `${MLFLOW}/experiments/create`, {
    ...{ token: made.token, body: { name: "seven" } },
  });
  expect(status).toBe(401);
});
