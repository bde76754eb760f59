import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError, ErrorBody, HTTP_STATUS } from "@liverl/contract/app-error";
import { LeftPod } from "@liverl/contract/clean-run";
import { type LiveRollout, LiveRollouts } from "@liverl/contract/live-rollout";
import type { RegisterRun } from "@liverl/contract/proxy-admin";
import { SandboxHost, TrialFeed } from "@liverl/contract/rollout";
import { SandboxReport } from "@liverl/contract/sandbox";
import { OutsideSessionList, OutsideSessionView } from "@liverl/contract/session-view";
import { z } from "zod";

const RunnerHealth = z.looseObject({
  proxy: z.enum(["up", "down"]),
  agentUrl: z.string().nullish(),
});
export type RunnerHealth = z.infer<typeof RunnerHealth>;

/** The trial runner's admin API. Every call throws UNAVAILABLE while the runner is away. */
export interface RunnerClient {
  health(): Promise<RunnerHealth>;
  registerRun(runId: string, run: RegisterRun): Promise<void>;
  /** Cancels the run's queued and running trials. */
  cancelRun(runId: string): Promise<void>;
  /** Pods of the run that no attempt owns. Throws CONFLICT where sandboxes are no pods. */
  leftPods(runId: string): Promise<LeftPod[]>;
  /** Removes them and tells how many; those of another LiveRL only with `others`. */
  removePods(runId: string, others: boolean): Promise<number>;
  trials(after: number, waitS: number, signal: AbortSignal): Promise<TrialFeed>;
  /** What would start sandboxes, asked now. */
  sandboxHost(): Promise<SandboxHost>;
  /** Throws BAD_REQUEST, which says what to do, where the agent can not be loaded; UNAVAILABLE while that is not known. */
  checkAgent(agent: string): Promise<void>;
  sandboxReport(): Promise<SandboxReport>;
  /** Rollouts that run or wait, with how far each has come. */
  liveRollouts(): Promise<LiveRollout[]>;
  /** Ends one as cancelled. Throws NOT_FOUND, or CONFLICT where it has ended. */
  cancelRollout(rolloutId: string): Promise<void>;
  /** Has a running agent's own log brought to the trial's folder, as far as it is written. */
  bringOutput(rolloutId: string): Promise<void>;
  /** Where its API is now, and the token that opens it. */
  address(): Promise<{ url: string; token: string }>;
  sessions(): Promise<OutsideSessionList>;
  session(sessionId: string): Promise<OutsideSessionView>;
  /** `aspect`: `outline`, `forks/<call>` or `calls/<call>`. */
  inspectSession(sessionId: string, aspect: string): Promise<unknown>;
  /** Sends a request on as it is: for the API of outside agents. */
  forward(method: "POST", path: string, body: unknown): Promise<{ status: number; body: unknown }>;
}

const TRIALS_PER_PAGE = 500;
const CALL_TIMEOUT_MS = 10_000;
/** A page waits for it. */
const LIVE_TIMEOUT_MS = 2_500;
/** A cluster's server may be busy. */
const CLUSTER_TIMEOUT_MS = 90_000;
const LeftPods = z.object({ pods: z.array(LeftPod) });
const RemovedPods = z.object({ removed: z.number().int() });

const away = (cause: unknown) =>
  cause instanceof AppError
    ? cause
    : new AppError("UNAVAILABLE", {
        userMessage:
          "The trial runner is not answering. It restarts by itself; try again in a few seconds.",
        cause,
      });

export function buildRunnerClient(dataDir: string): RunnerClient {
  // Read at each call: the runner may come back with another port, and a new data directory has none yet.
  const address = async () => {
    try {
      const [port, token] = await Promise.all([
        readFile(join(dataDir, "runner/port"), "utf8"),
        readFile(join(dataDir, "runner/admin.token"), "utf8"),
      ]);
      return { url: `http://127.0.0.1:${port.trim()}`, token: token.trim() };
    } catch (cause) {
      throw away(cause);
    }
  };
  const call = async (
    method: string,
    path: string,
    {
      body,
      timeoutMs = CALL_TIMEOUT_MS,
      signal,
    }: { body?: unknown; timeoutMs?: number; signal?: AbortSignal } = {},
  ) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const { url, token } = await address();
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const text = await response.text();
      return { status: response.status, body: text === "" ? null : (JSON.parse(text) as unknown) };
    } catch (error) {
      throw away(error);
    }
  };
  const expectOk = async (method: string, path: string, options?: Parameters<typeof call>[2]) => {
    const answer = await call(method, path, options);
    if (answer.status < 300) return answer.body;
    const known = ErrorBody.safeParse(answer.body);
    const code =
      (Object.keys(HTTP_STATUS) as (keyof typeof HTTP_STATUS)[]).find(
        (name) => HTTP_STATUS[name] === answer.status,
      ) ?? "INTERNAL";
    throw new AppError(code, {
      userMessage: known.success
        ? known.data.error.message
        : `The trial runner answered ${answer.status} to ${method} ${path}.`,
    });
  };
  return {
    health: async () => RunnerHealth.parse(await expectOk("GET", "/healthz", { timeoutMs: 2_000 })),
    registerRun: async (runId, run) => {
      await expectOk("PUT", `/api/v1/runs/${encodeURIComponent(runId)}`, { body: run });
    },
    cancelRun: async (runId) => {
      await expectOk("DELETE", `/api/v1/runs/${encodeURIComponent(runId)}`);
    },
    leftPods: async (runId) =>
      LeftPods.parse(
        await expectOk("GET", `/api/v1/runs/${encodeURIComponent(runId)}/pods`, {
          timeoutMs: CLUSTER_TIMEOUT_MS,
        }),
      ).pods,
    removePods: async (runId, others) =>
      RemovedPods.parse(
        await expectOk(
          "DELETE",
          `/api/v1/runs/${encodeURIComponent(runId)}/pods${others ? "?others=true" : ""}`,
          { timeoutMs: CLUSTER_TIMEOUT_MS },
        ),
      ).removed,
    trials: async (after, waitS, signal) =>
      TrialFeed.parse(
        await expectOk(
          "GET",
          `/api/v1/trials?after=${after}&limit=${TRIALS_PER_PAGE}&wait=${waitS}`,
          { timeoutMs: (waitS + 10) * 1000, signal },
        ),
      ),
    sandboxHost: async () => SandboxHost.parse(await expectOk("GET", "/api/v1/sandbox-host")),
    checkAgent: async (agent) => {
      await expectOk("GET", `/api/v1/agents/${encodeURIComponent(agent)}`);
    },
    sandboxReport: async () => SandboxReport.parse(await expectOk("GET", "/api/v1/sandboxes")),
    liveRollouts: async () =>
      LiveRollouts.parse(
        await expectOk("GET", "/api/v1/live-rollouts", { timeoutMs: LIVE_TIMEOUT_MS }),
      ).rollouts,
    cancelRollout: async (rolloutId) => {
      await expectOk("DELETE", `/api/v1/rollouts/${encodeURIComponent(rolloutId)}`);
    },
    bringOutput: async (rolloutId) => {
      await expectOk("POST", `/api/v1/rollouts/${encodeURIComponent(rolloutId)}/agent-output`);
    },
    address: () => address(),
    sessions: async () => OutsideSessionList.parse(await expectOk("GET", "/api/v1/sessions")),
    session: async (sessionId) =>
      OutsideSessionView.parse(
        await expectOk("GET", `/api/v1/sessions/${encodeURIComponent(sessionId)}`),
      ),
    inspectSession: (sessionId, aspect) =>
      expectOk("GET", `/api/v1/sessions/${encodeURIComponent(sessionId)}/${aspect}`),
    forward: (method, path, body) => call(method, path, { body, timeoutMs: 30_000 }),
  };
}
