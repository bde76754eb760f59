import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hash32, Random } from "@liverl/contract/random";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { Client, ClientSetup } from "#reality/agents/clients/client.ts";
import { ScriptedEngine } from "#reality/agents/engine/scripted-engine.ts";
import type { Vocabulary } from "#reality/agents/engine/vocabulary.ts";
import { WINDOW } from "#reality/agents/engine/write-agent-model.ts";
import { env } from "#reality/agents/env.ts";
import { judgeRow } from "#reality/agents/judge/judge-row.ts";
import type { Row } from "#reality/agents/rows/row.ts";
import { Gateway } from "#reality/agents/sandbox/gateway.ts";
import { type ClientRun, runClient } from "#reality/agents/sandbox/run-client.ts";
import type { ProxyProcess } from "#reality/agents/sandbox/start-proxy-process.ts";
import type { Scenario } from "#reality/agents/scenarios/scenario.ts";

const MODEL_NAME = "liverl-policy";
const CLIENT_TIMEOUT_MS = 120_000;
const SAMPLING = { temperature: 1, max_tokens: 8192 };

export interface RowContext {
  proxy: ProxyProcess;
  vocabulary: Vocabulary;
  modelDir: string;
  /** Gets a folder for each row: workspace, home, engine's log, trajectory, what the client printed. */
  directory: string;
  isolated: boolean;
  seed: string;
  /** The share of turns that are not the tokenizer's own encoding. */
  nonCanonicalShare(turns: readonly (readonly number[])[]): Promise<number>;
}

/** Plays one scenario with one client on a session of its own and judges it. */
export async function runRow(
  ctx: RowContext,
  {
    client,
    scenario,
    installed,
  }: {
    client: Client;
    scenario: Scenario;
    installed: { directory: string; program: string };
  },
): Promise<Row> {
  const id = `${client.name}-${scenario.name}`.replaceAll(/[^a-z0-9-]+/gi, "-");
  const directory = join(ctx.directory, id);
  const [workspace, home] = [join(directory, "work"), join(directory, "home")];
  await Promise.all([workspace, home].map((path) => mkdir(path, { recursive: true })));
  const seed = `${ctx.seed}|${id}`;
  await writeFiles(
    Object.fromEntries(
      Object.entries(scenario.files(new Random(hash32(seed)))).map(([name, text]) => [
        join(workspace, name),
        text,
      ]),
    ),
  );
  const { vocabulary } = ctx;
  const { isCompaction } = client;
  const engine = await ScriptedEngine.start({
    vocabulary,
    scenario,
    workspace,
    isCompaction,
    seed,
  });
  const socketPath = join(directory, "gateway.sock");
  const gateway = await Gateway.start({
    target: ctx.proxy.agentUrl,
    socketPath,
    faults: scenario.faults ?? [],
  });
  try {
    const opened = await openSession(ctx, { id, directory, engine, scenario });
    const url = new URL(opened.baseUrl);
    if (!ctx.isolated) url.port = String(gateway.port);
    const reach = ctx.isolated ? { socketPath, port: Number(url.port) } : null;
    const { apiKey } = opened;
    const runs = await play(
      client,
      { ...installed, baseUrl: url.href, apiKey, modelName: MODEL_NAME, home, workspace, scenario },
      reach,
    );
    await writeFile(
      join(directory, "client.log"),
      runs
        .map((run) => `${run.output}\n--- stderr\n${run.errors}\n--- exit ${run.exitCode}\n`)
        .join(""),
    );
    await engine.writeLog(join(directory, "engine.jsonl"));
    const expected = client.exitCode?.(scenario) ?? 0;
    const finished = runs.every((run) => run.exitCode === expected);
    const { path } = await ctx.proxy.admin.completeSession(id, {
      reward: { reward: finished ? 1 : 0 },
      termination: finished ? "agent-finished" : "agent-error",
    });
    const trajectory = ProxyTrajectory.parse(JSON.parse(await readFile(path, "utf8")));
    const turns = engine.records.map((record) => record.ids);
    return {
      client: client.name,
      scenario: scenario.name,
      ...judgeRow({
        records: engine.records,
        trajectory,
        compactions: engine.compactions,
        scenario,
        complaints: [
          ...runs.map((run) => complaintOf(run, expected)),
          engine.unfinished,
          await scenario.check(workspace),
          gateway.faultsLeft > 0 ? `${gateway.faultsLeft} faults were not reached` : null,
        ],
      }),
      nonCanonical: await ctx.nonCanonicalShare(turns),
      wallS: runs.reduce((sum, run) => sum + run.wallMs, 0) / 1000,
    };
  } finally {
    await gateway.stop();
    await engine.stop();
  }
}

async function openSession(
  ctx: RowContext,
  {
    id,
    directory,
    engine,
    scenario,
  }: { id: string; directory: string; engine: ScriptedEngine; scenario: Scenario },
) {
  await ctx.proxy.admin.putPool(id, {
    engines: [{ url: engine.url }],
    engineKeyPath: null,
    modelDir: ctx.modelDir,
    modelName: MODEL_NAME,
    maxModelLen: scenario.poolWindow ?? WINDOW,
  });
  return ctx.proxy.admin.openSession({
    sessionId: id,
    poolId: id,
    rolloutId: id,
    attempt: 0,
    runId: null,
    taskId: scenario.name,
    groupId: null,
    step: null,
    mode: "train",
    sampling: SAMPLING,
    directory: join(directory, "trial"),
    expiresAt: "2999-01-01T00:00:00.000Z",
    maxCalls: 1000,
  });
}

/** One process a user turn, unless the client takes them all; ends at the first that fails. */
async function play(
  client: Client,
  shared: Omit<ClientSetup, "prompt" | "turn">,
  reach: { socketPath: string; port: number } | null,
): Promise<ClientRun[]> {
  const { home, workspace, scenario } = shared;
  const prompts = client.playsAllPrompts ? scenario.prompts.slice(0, 1) : scenario.prompts;
  const runs: ClientRun[] = [];
  for (const [turn, prompt] of prompts.entries()) {
    const setup = { ...shared, prompt, turn };
    await writeFiles(client.files?.(setup) ?? {});
    const command = client.command(setup);
    const run = await runClient({
      argv: command.argv,
      cwd: workspace,
      timeoutMs: CLIENT_TIMEOUT_MS,
      reach,
      env: {
        PATH: env.PATH,
        HOME: home,
        LANG: "C.UTF-8",
        TERM: "dumb",
        PYTHONDONTWRITEBYTECODE: "1",
        ...command.env,
      },
    });
    runs.push(run);
    if (run.exitCode !== (client.exitCode?.(scenario) ?? 0)) break;
  }
  return runs;
}

function complaintOf({ exitCode, output, errors }: ClientRun, expected: number): string | null {
  if (exitCode === expected) return null;
  const how = exitCode === null ? "did not end in time" : `ended with ${exitCode}`;
  const said = (errors.trim() || output.trim()).slice(-400);
  return `the client ${how}: ${said}`;
}

async function writeFiles(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}
