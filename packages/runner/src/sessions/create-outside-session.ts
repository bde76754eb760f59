import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import type { CreateOutsideSession, OpenedSession } from "@liverl/contract/proxy-admin";
import type { RunnerContext } from "#context.ts";
import { outsideDirectory } from "#trials/trial-directory.ts";

const LIFE_MS = 24 * 3600 * 1_000;
const MAX_CALLS = 10_000;

/** A session for an agent that is not ours, on the engines of a run: the named one, else the latest registered. */
export async function createOutsideSession(
  ctx: RunnerContext,
  input: CreateOutsideSession,
): Promise<OpenedSession> {
  const registered =
    input.runId === undefined
      ? [...ctx.runs.values()].findLast(({ run }) => !run.trainerProxies)
      : ctx.runs.get(input.runId);
  if (!registered) {
    throw new AppError("NOT_FOUND", {
      userMessage:
        input.runId === undefined
          ? "No run is registered yet: launch one first."
          : `Run ${input.runId} is not registered here.`,
    });
  }
  const { runId, run } = registered;
  if (run.trainerProxies)
    throw new AppError("CONFLICT", {
      userMessage: `Run ${runId} samples through proxies of its training hosts, which serve its own rollouts alone: open the session on another run.`,
    });
  const sessionId = `outside-${randomBytes(8).toString("hex")}`;
  const directory = outsideDirectory({
    project: run.project,
    runId,
    isOfRun: input.runId !== undefined,
    sessionId,
  });
  await mkdir(join(ctx.config.dataDir, directory), { recursive: true });
  const openedAt = new Date().toISOString();
  const opened = { runId, taskId: input.taskId ?? null, directory };
  await ctx.journal.append({ kind: "session-opened", sessionId, ...opened, at: openedAt });
  ctx.outsideSessions.set(sessionId, {
    ...opened,
    openedAt,
    completedAt: null,
    path: null,
    outcome: null,
  });
  return await ctx.proxy.openSession({
    sessionId,
    poolId: runId,
    rolloutId: null,
    attempt: 1,
    runId,
    taskId: opened.taskId,
    groupId: null,
    step: null,
    mode: input.mode ?? "train",
    sampling: input.sampling ?? null,
    directory: join(ctx.config.dataDir, directory),
    expiresAt: new Date(Date.now() + LIFE_MS).toISOString(),
    maxCalls: input.maxCalls ?? MAX_CALLS,
    trains: input.trains,
    stream: input.stream,
    ...(run.templateValues && { templateValues: run.templateValues }),
  });
}
