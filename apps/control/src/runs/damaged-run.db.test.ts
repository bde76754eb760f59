import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { launchSpec } from "#testing/factories.ts";
import { OPERATOR_TOKEN, startTestApp, type TestApp } from "#testing/start-test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  const { db } = app.control.ctx;
  for (const id of ["good-01", "bad-01"])
    await db.run.create({
      data: {
        ...{ id, project: "tests", name: id.slice(0, -3), status: "failed", driver: "embedded" },
        ...{ color: 1, tags: [], spec: launchSpec(), startedAt: new Date(), endedAt: new Date() },
      },
    });
});
afterAll(() => app.close());

const Answer = z.looseObject({
  runs: z.array(z.looseObject({ id: z.string() })).optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});
async function get(path: string) {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const answer = await fetch(`${app.base}/api/v1/${path}`, { headers });
  return { status: answer.status, body: Answer.parse(await answer.json()) };
}

test.each([
  [
    "a last point at no time",
    "INSERT INTO series (run_id, key, last_step, last_wall, points) VALUES ('bad-01', 'reward', 1, 1e300, 1)",
  ],
  ["a status that is none", "UPDATE run SET status = 'made-up' WHERE id = 'bad-01'"],
  [
    "a driver that is none",
    "UPDATE run SET status = 'failed', driver = 'made-up' WHERE id = 'bad-01'",
  ],
  [
    "a resume at no time",
    "INSERT INTO run_event (run_id, kind, actor, message, at) VALUES ('bad-01', 'resume', 'a', 'm', 'infinity'), ('bad-01', 'status', 'a', 'running', 'infinity')",
  ],
  [
    "an end at no time",
    "UPDATE run SET driver = 'embedded', ended_at = 'infinity' WHERE id = 'bad-01'",
  ],
  ["a beginning at no time", "UPDATE run SET created_at = 'infinity' WHERE id = 'bad-01'"],
])("%s of one run leaves the list as it is", async (_, sql) => {
  await app.control.ctx.pool.query(sql);
  const { status, body } = await get("run/list");
  expect(status, JSON.stringify(body)).toBe(200);
  const ids = body.runs?.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(["good-01", "bad-01"]));
});

test("a damaged row of a run is a fault of LiveRL's, and is named", async () => {
  const { pool } = app.control.ctx;
  const { rows } = await pool.query(
    "INSERT INTO run_event (run_id, kind, actor, message) VALUES ('good-01', 'made-up', 'a', 'm') RETURNING id",
  );
  expect(await get("run/events?id=good-01")).toEqual({
    status: 500,
    body: {
      error: {
        code: "INTERNAL",
        message: expect.stringContaining(`row of event ${rows[0].id} is damaged: Invalid option`),
      },
    },
  });
  await pool.query("UPDATE run SET spec = '{\"driver\": \"embedded\"}' WHERE id = 'good-01'");
  const spec = await get("launch/spec-of?runId=good-01");
  expect([spec.status, spec.body.error?.message]).toEqual([
    500,
    expect.stringContaining("row of run good-01 is damaged"),
  ]);
});
