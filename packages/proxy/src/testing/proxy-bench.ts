import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { GenerateRequest } from "@liverl/contract/engine-api";
import type {
  CompletedSession,
  CompleteSession,
  OpenedSession,
  OpenSessionInput,
} from "@liverl/contract/proxy-admin";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import pino, { type Logger } from "pino";
import type { z } from "zod";
import { AdminClient } from "#admin-client.ts";
import type { ProcessPlan } from "#config/process-plan.ts";
import { loadRenderer } from "#renderer/load-renderer.ts";
import type { Renderer } from "#renderer/renderer.ts";
import { startProxy } from "#start-proxy.ts";
import { EngineStandIn, type ScriptedTurn } from "#testing/engine-stand-in.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";
import { writeModelFolder } from "#testing/write-model-folder.ts";

/** A whole proxy over HTTP, on a folder of its own, with an engine that a test scripts. */
export class ProxyBench {
  readonly directory: string;
  readonly renderer: Renderer;
  readonly added: Record<string, number>;
  readonly engines: EngineStandIn[];
  /** What the proxy is told beside its folder. */
  readonly plan: Partial<z.input<typeof ProcessPlan>>;
  proxy: Awaited<ReturnType<typeof startProxy>>;
  admin: AdminClient;
  #sessions = 0;

  private constructor(
    directory: string,
    renderer: Renderer,
    added: Record<string, number>,
    engines: EngineStandIn[],
    plan: Partial<z.input<typeof ProcessPlan>>,
    proxy: Awaited<ReturnType<typeof startProxy>>,
  ) {
    this.directory = directory;
    this.renderer = renderer;
    this.added = added;
    this.engines = engines;
    this.plan = plan;
    this.proxy = proxy;
    this.admin = new AdminClient({ url: proxy.adminUrl, token: proxy.adminToken });
  }

  static async start({
    engines = 1,
    maxModelLen = 4096,
    plan = {},
    log = pino({ level: "silent" }),
  }: {
    engines?: number;
    maxModelLen?: number;
    plan?: Partial<z.input<typeof ProcessPlan>>;
    log?: Logger;
  } = {}): Promise<ProxyBench> {
    const directory = await makeTemporaryDirectory("proxy");
    const added = await writeModelFolder(join(directory, "model"));
    const renderer = await loadRenderer(join(directory, "model"));
    const standIns = await Promise.all(
      Array.from({ length: engines }, () => EngineStandIn.start(() => ({ ids: [] }))),
    );
    const proxy = await startProxy({ dataDir: directory, log, ...plan });
    const bench = new ProxyBench(directory, renderer, added, standIns, plan, proxy);
    await bench.putPool(maxModelLen);
    return bench;
  }

  get engine(): EngineStandIn {
    const [engine] = this.engines;
    if (!engine) throw new Error("the bench has an engine");
    return engine;
  }

  putPool(maxModelLen = 4096): Promise<unknown> {
    return this.admin.putPool("pool", {
      engines: this.engines.map(({ url }) => ({ url })),
      engineKeyPath: null,
      modelDir: join(this.directory, "model"),
      modelName: "tiny",
      maxModelLen,
    });
  }

  /** Lets every engine answer with `texts` in turn, the last one for ever; `<|im_end|>` is added. */
  say(...texts: string[]): void {
    let next = 0;
    for (const engine of this.engines)
      engine.script = () => ({
        ids: this.turnIds(texts[Math.min(next++, texts.length - 1)] ?? ""),
      });
  }

  scripts(script: (request: GenerateRequest, index: number) => ScriptedTurn): void {
    for (const engine of this.engines) engine.script = script;
  }

  /** Byte by byte with control tokens where the text names them: not how the tokenizer would encode it. */
  turnIds(text: string, { close = true }: { close?: boolean } = {}): number[] {
    const control = new RegExp(
      `(${Object.keys(this.added)
        .map((token) => token.replace(/[|]/g, "\\|"))
        .join("|")})`,
    );
    const ids = text
      .split(control)
      .flatMap((piece) =>
        this.added[piece] === undefined ? [...Buffer.from(piece, "utf8")] : [this.added[piece]],
      );
    return close ? [...ids, this.renderer.closeId] : ids;
  }

  openSession(overrides: Partial<OpenSessionInput> = {}): Promise<OpenedSession> {
    const sessionId = overrides.sessionId ?? `s${this.#sessions++}`;
    return this.admin.openSession({
      sessionId,
      poolId: "pool",
      rolloutId: `r-${sessionId}`,
      attempt: 1,
      runId: "run",
      taskId: "task",
      groupId: "group",
      step: 1,
      mode: "train",
      sampling: { temperature: 1, max_tokens: 256 },
      directory: join(this.plan.dataDir ?? this.directory, "trials", sessionId),
      expiresAt: "2999-01-01T00:00:00.000Z",
      maxCalls: 1000,
      ...overrides,
    });
  }

  async complete(
    sessionId: string,
    end: CompleteSession = { reward: { reward: 1 }, termination: "agent-finished" },
  ): Promise<{ completed: CompletedSession; trajectory: ProxyTrajectory }> {
    const completed = await this.admin.completeSession(sessionId, end);
    return {
      completed,
      trajectory: ProxyTrajectory.parse(JSON.parse(await readFile(completed.path, "utf8"))),
    };
  }

  /** Stops and starts the proxy on the same folder: same ports, same sessions. */
  async restart(): Promise<void> {
    await this.admin.close();
    await this.proxy.stop();
    const log = pino({ level: "silent" });
    this.proxy = await startProxy({ dataDir: this.directory, log, ...this.plan });
    this.admin = new AdminClient({ url: this.proxy.adminUrl, token: this.proxy.adminToken });
  }

  async stop(): Promise<void> {
    await this.admin.close();
    await this.proxy.stop();
    await Promise.all(this.engines.map((engine) => engine.stop()));
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** POSTs a chat request as a client without an SDK would. */
export async function postChat(
  { baseUrl, apiKey }: OpenedSession,
  body: Record<string, unknown>,
  {
    headers = {},
    signal = null,
  }: { headers?: Record<string, string>; signal?: AbortSignal | null } = {},
): Promise<{ status: number; body: ChatAnswer }> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "tiny", ...body }),
    signal,
  });
  return { status: response.status, body: (await response.json()) as ChatAnswer };
}

export interface SentCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** An answer or an error, as far as tests look at it. */
export interface ChatAnswer {
  id?: string;
  choices: {
    message: { role: string; content: string | null; tool_calls?: SentCall[] };
    finish_reason: string;
  }[];
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  error?: { message: string; type: string; param: string | null; code: string | null };
}
