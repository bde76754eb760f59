import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CallDetail, ForkDiff, SessionOutline } from "@liverl/contract/session-view";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { appRouter } from "#router.ts";
import { launchRun } from "#runs/launch-run.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec } from "#testing/factories.ts";
import { startRunnerStandIn } from "#testing/runner-stand-in.ts";

const OUTLINE: SessionOutline = {
  ...{ sessionId: "outside-1", rolloutId: null, attempt: 1, runId: null, taskId: null },
  ...{ groupId: null, step: null, mode: "eval", live: true, reward: null, termination: null },
  model: { name: "m", family: "f", tokenizerSha256: "", chatTemplateSha256: "" },
  ...{ nodes: [], calls: [], segments: [] },
};

describe("sessions of outside agents", () => {
  let control: TestControl;
  let runner: { close(): Promise<void> };
  let runId: string;
  const answers = new Map<string, unknown>();
  const caller = (actor: string | null = "test") =>
    appRouter.createCaller({ ...control.ctx, actor }).session;
  beforeAll(async () => {
    control = await buildTestContext();
    runner = await startRunnerStandIn(control.ctx.config.dataDir, answers);
    runId = (await launchRun(control.ctx, { spec: launchSpec(), idempotencyKey: randomUUID() })).id;
    answers.set("/api/v1/sessions/outside-1/outline", OUTLINE);
  });
  afterAll(async () => {
    await runner.close();
    await control.close();
  });

  test("are listed with the names of their runs, in the project of the run", async () => {
    const row = {
      ...{ sessionId: "outside-1", runId, taskId: "mine", openedAt: null, completedAt: null },
      ...{ state: "open", calls: 3, inFlight: 1 },
      ...{ reward: null, termination: null },
    };
    const orphan = { ...row, sessionId: "outside-2", runId: "deleted" };
    answers.set("/api/v1/sessions", { sessions: [row, orphan] });
    expect(await caller().list({ project: "tests" })).toEqual({
      sessions: [
        { ...row, project: "tests", runName: expect.stringContaining("small") },
        { ...orphan, project: null, runName: null },
      ],
    });
    const { sessions } = await caller().list({ project: "elsewhere" });
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["outside-2"]);
  });

  test("a fork's tokens are told with the texts of the run's own tokenizer", async () => {
    const { model } = runFiles(control.ctx.config.dataDir, runId);
    await mkdir(model, { recursive: true });
    await writeFile(
      join(model, "tokenizer.json"),
      JSON.stringify({
        added_tokens: [{ id: 2, content: "<|im_start|>" }],
        model: { vocab: { user: 0, Ġhello: 1 } },
      }),
    );
    const message = { number: 1, role: "user", before: "", changed: "hello", after: "" };
    const diff: ForkDiff = {
      ...{ runId, callId: 4, position: 1, promptTokens: 2, sampledBefore: 0, shared: [2] },
      stored: null,
      asked: { ids: [0, 1], more: 5, messages: [message] },
    };
    answers.set("/api/v1/sessions/outside-1/forks/4", diff);
    expect(await caller().fork({ sessionId: "outside-1", callId: 4 })).toEqual({
      ...{ callId: 4, position: 1, promptTokens: 2, sampledBefore: 0, stored: null },
      shared: [{ id: 2, text: "<|im_start|>" }],
      asked: {
        tokens: [
          { id: 0, text: "user" },
          { id: 1, text: " hello" },
        ],
        more: 5,
        messages: [message],
      },
    });
  });

  test("a call comes with its bodies as they were sent", async () => {
    const detail: CallDetail = {
      request: '{"n": 1.0}',
      response: null,
      call: {
        ...{ id: 7, requestId: "r", requestIds: ["r"], dialect: "openai-chat", kind: "main" },
        ...{ subagent: null, rewritten: false, promptNodeId: 0, sampledNodeId: null },
        ...{ status: "incomplete", stopReason: null, stopText: null, startedAt: "2026-01-01" },
        ...{ sentAt: null, firstTokenAt: null, endedAt: null, sampling: {}, requested: {} },
        ...{ usage: { promptTokens: 1, sampledTokens: 0 }, fork: null, error: null },
      },
    };
    answers.set("/api/v1/sessions/outside-1/calls/7", detail);
    expect(await caller().exchange({ sessionId: "outside-1", callId: 7 })).toEqual(detail);
  });

  test("what is not there is NOT_FOUND, whatever its name", async () => {
    expect(await caller().get({ sessionId: "outside-1" })).toEqual(OUTLINE);
    for (const sessionId of ["nobody", "../../runs", "outside-1/outline?x="])
      await expect(caller().get({ sessionId })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(caller().fork({ sessionId: "outside-1", callId: 99 })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  test("nobody reads them unasked, and a runner that is away is said to be", async () => {
    await expect(caller(null).get({ sessionId: "outside-1" })).rejects.toMatchObject({
      code: "UNAUTHORIZED",
    });
    await runner.close();
    await expect(caller().list({ project: "tests" })).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
    });
  });
});
