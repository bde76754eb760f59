import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hash32, Random } from "@liverl/contract/random";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { Client } from "#reality/agents/clients/client.ts";
import { ScriptedEngine } from "#reality/agents/engine/scripted-engine.ts";
import type { Vocabulary } from "#reality/agents/engine/vocabulary.ts";
import { type TemplateName, WINDOW } from "#reality/agents/engine/write-agent-model.ts";
import { env } from "#reality/agents/env.ts";
import { judgeRow } from "#reality/agents/judge/judge-row.ts";
import { emptyRow, type Row } from "#reality/agents/rows/row.ts";
import { Gateway } from "#reality/agents/sandbox/gateway.ts";
import { type ClientRun, runClient } from "#reality/agents/sandbox/run-client.ts";
import type { ProxyProcess } from "#reality/agents/sandbox/start-proxy-process.ts";
import type { Scenario } from "#reality/agents/scenarios/scenario.ts";

const MODEL_NAME = "liverl-policy";
const CLIENT_TIMEOUT_MS = 180_000;
/** A client hears something of a stream at least this often, however slow the engine is. */
const MAX_SILENCE_MS = 11_000;
const SAMPLING = { temperature: 1, max_tokens: 8192 };

export interface RowContext {
  proxy: ProxyProcess;
  vocabulary: Vocabulary;
  modelDirOf(template: TemplateName): string;
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
  const id = `${client.name}-${scenario.name}`.replaceAll(/[^a-z0-9]+/gi, "-");
  const directory = join(ctx.directory, id);
  const place = {
    id,
    directory,
    workspace: join(directory, "work"),
    home: join(directory, "home"),
  };
  const seed = `${ctx.seed}|${id}`;
  await mkdir(place.home, { recursive: true });
  const files = Object.entries(scenario.files(new Random(hash32(seed))));
  await writeFiles(files.map(([name, text]) => [join(place.workspace, name), text]));
  const { vocabulary } = ctx;
  const { isCompaction } = client;
  const { workspace } = place;
  const engine = await ScriptedEngine.start({
    vocabulary,
    scenario,
    workspace,
    isCompaction,
    seed,
  });
  const gateway = await Gateway.start({
    target: ctx.proxy.agentUrl,
    socketPath: join(directory, "gateway.sock"),
    faults: scenario.faults ?? [],
  });
  try {
    return await playAndJudge(ctx, { client, scenario, installed, place, engine, gateway });
  } catch (error) {
    // One row that can not even be opened or judged must not hide the others.
    const why = error instanceof Error ? error.message : String(error);
    return emptyRow(client.name, scenario.name, "failed", why);
  } finally {
    await gateway.stop();
    await engine.stop();
  }
}

interface Staged {
  client: Client;
  scenario: Scenario;
  installed: { directory: string; program: string };
  place: { id: string; directory: string; workspace: string; home: string };
  engine: ScriptedEngine;
  gateway: Gateway;
}

async function playAndJudge(ctx: RowContext, staged: Staged): Promise<Row> {
  const { client, scenario, place, engine, gateway } = staged;
  const runs = await play(ctx, staged);
  await writeFile(join(place.directory, "client.log"), runs.map(transcriptOf).join(""));
  await engine.writeLog(join(place.directory, "engine.jsonl"));
  const expected = client.exitCode?.(scenario) ?? 0;
  const finished = runs.every((run) => run.exitCode === expected);
  const { path } = await ctx.proxy.admin.completeSession(place.id, {
    reward: { reward: finished ? 1 : 0 },
    termination: finished ? "agent-finished" : "agent-error",
  });
  const records = engine.records;
  return {
    client: client.name,
    scenario: scenario.name,
    ...judgeRow({
      records,
      trajectory: ProxyTrajectory.parse(JSON.parse(await readFile(path, "utf8"))),
      compactions: engine.compactions,
      scenario,
      complaints: [
        ...runs.map((run) => complaintOf(run, expected)),
        engine.unfinished,
        await scenario.check(place.workspace),
        gateway.longestSilenceMs > MAX_SILENCE_MS
          ? `a stream said nothing for ${gateway.longestSilenceMs} ms`
          : null,
        gateway.faultsLeft > 0 ? `${gateway.faultsLeft} faults were not reached` : null,
      ],
    }),
    nonCanonical: await ctx.nonCanonicalShare(records.map(({ ids }) => ids)),
    wallS: runs.reduce((sum, run) => sum + run.wallMs, 0) / 1000,
  };
}

/** One process a user turn, unless the client takes them all; ends at the first that fails. */
async function play(ctx: RowContext, staged: Staged): Promise<ClientRun[]> {
  const { client, scenario, installed, place, gateway } = staged;
  const { baseUrl, apiKey } = await openSession(ctx, staged);
  const url = new URL(baseUrl);
  if (!ctx.isolated) url.port = String(gateway.port);
  const { socketPath } = gateway;
  const reach = ctx.isolated ? { socketPath, port: Number(url.port) } : null;
  const prompts = client.playsAllPrompts ? scenario.prompts.slice(0, 1) : scenario.prompts;
  const runs: ClientRun[] = [];
  for (const [turn, prompt] of prompts.entries()) {
    const setup = {
      ...{ ...installed, ...place, directory: installed.directory },
      ...{ baseUrl: url.href, apiKey, modelName: MODEL_NAME, scenario, prompt, turn },
    };
    await writeFiles(Object.entries(client.files?.(setup) ?? {}));
    const command = client.command(setup);
    const run = await runClient({
      argv: command.argv,
      cwd: place.workspace,
      timeoutMs: CLIENT_TIMEOUT_MS,
      reach,
      env: {
        ...{ PATH: env.PATH, HOME: place.home, LANG: "C.UTF-8", TERM: "dumb" },
        PYTHONDONTWRITEBYTECODE: "1",
        ...command.env,
      },
    });
    runs.push(run);
    if (run.exitCode !== (client.exitCode?.(scenario) ?? 0)) break;
  }
  return runs;
}

async function openSession(ctx: RowContext, { place, engine, scenario }: Staged) {
  const { id, directory } = place;
  await ctx.proxy.admin.putPool(id, {
    engines: [{ url: engine.url }],
    engineKeyPath: null,
    modelDir: ctx.modelDirOf(scenario.template ?? "qwen2.5"),
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
    stream: scenario.stream ?? "durable",
    directory: join(directory, "trial"),
    expiresAt: "2999-01-01T00:00:00.000Z",
    maxCalls: 1000,
  });
}

const transcriptOf = ({ output, errors, exitCode }: ClientRun) =>
  `${output}\n--- stderr\n${errors}\n--- exit ${exitCode}\n`;

function complaintOf({ exitCode, output, errors }: ClientRun, expected: number): string | null {
  if (exitCode === expected) return null;
  const how = exitCode === null ? "did not end in time" : `ended with ${exitCode}`;
  const said = (errors.trim() || output.trim()).slice(-400);
  return `the client ${how}: ${said}`;
}

async function writeFiles(files: readonly (readonly [string, string])[]): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}
