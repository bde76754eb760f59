import { setTimeout as sleep } from "node:timers/promises";
import {
  isReplayOver,
  type ReplayRow,
  type ReplayView,
  ReplayWeights,
} from "@liverl/contract/replay";
import type { Command } from "commander";
import type { Act, Cli } from "#cli.ts";
import { askPatiently } from "#client/ask-patiently.ts";
import { real, whole } from "#commands/parse-number.ts";
import { CliError, EXIT } from "#exit-code.ts";
import { formatTable } from "#output/format-table.ts";
import { number, time } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

const LOOK_EVERY_MS = 500;
const MOST_CHARS = 100;

interface Options {
  turn: number;
  segment?: number;
  n?: number;
  checkpoint?: string;
  run?: string;
  live?: true;
  engine?: string;
  api?: string;
  temperature?: number;
  topP?: number;
  maxTokens?: number;
  wait: boolean;
}

export function addReplayCommands(program: Command, act: Act): void {
  const replay = program
    .command("replay")
    .description("Sample a turn of a rollout again, with other weights or settings.");
  replay
    .command("start", { isDefault: true })
    .description("One model call n times, from its recorded tokens; a group that never trains.")
    .argument("<rollout>", "its id")
    .requiredOption("--turn <number>", "which sampled turn, from 1", whole(1))
    .option("--segment <id>", "of this segment", whole())
    .option("--checkpoint <name>", "with these weights: global_step_8, or 8")
    .option("--run <id>", "whose checkpoint or engines (default: the rollout's run)")
    .option("--live", "with the engines that sample for the run now")
    .option("--engine <url>", "with an engine by its address; same tokenizer")
    .option("--api <name>", "what that engine speaks: vllm or sglang")
    .option("--n <count>", "completions, 1 to 16 (default: 4)", whole(1))
    .option("--temperature <value>", "default: as the original", real)
    .option("--top-p <value>", "default: as the original", real)
    .option("--max-tokens <count>", "default: as the original", whole(1))
    .option("--no-wait", "only start it")
    .action(act(start));
  replay
    .command("list")
    .description("A rollout's replays, newest first.")
    .argument("<rollout>", "its id")
    .action(act(list));
  replay
    .command("show")
    .description("A replay with its completions.")
    .argument("<replay>", "its id")
    .action(act(show));
  replay
    .command("cancel")
    .description("End a replay; completions that are there stay.")
    .argument("<replay>", "its id")
    .action(act(cancel));
}

async function start(cli: Cli, rolloutId: string, options: Options): Promise<Result> {
  const { turn, segment: segmentId, n, temperature, topP, maxTokens } = options;
  const weights = await weightsOf(cli, rolloutId, options);
  const { id } = await cli.api.post("replay.start", {
    ...{ rolloutId, segmentId, turn, weights, n, temperature, topP, maxTokens },
  });
  return options.wait ? untilOver(cli, id) : { answer: { id }, lines: [id] };
}

/** One of the three ways to name weights. */
async function weightsOf(
  { api }: Cli,
  rolloutId: string,
  { checkpoint, live, engine, run, api: spoken }: Options,
): Promise<ReplayWeights> {
  if ([checkpoint, live, engine].filter((one) => one !== undefined).length !== 1)
    throw new CliError(EXIT.usage, "Give one of --checkpoint, --live and --engine.");
  if (engine !== undefined) return read({ kind: "engine", url: engine, api: spoken });
  const runId = run ?? (await api.get("trajectory.get", { rolloutId })).runId;
  if (runId === null)
    throw new CliError(EXIT.usage, `${rolloutId} belongs to no run: say whose weights by --run.`);
  if (live) return read({ kind: "live", runId });
  const step = /^(?:global_step_)?(\d+)$/.exec(checkpoint ?? "")?.[1];
  if (step === undefined)
    throw new CliError(EXIT.usage, `--checkpoint: ${checkpoint} is not like global_step_8.`);
  return read({ kind: "checkpoint", runId, step: Number(step) });
}

function read(weights: object): ReplayWeights {
  const parsed = ReplayWeights.safeParse(weights);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CliError(EXIT.usage, `--engine: ${issue?.path.join(".")}: ${issue?.message}`);
}

async function untilOver(cli: Cli, id: string): Promise<Result> {
  for (let told = -1; ; await sleep(LOOK_EVERY_MS, undefined, { signal: cli.signal })) {
    const view = await askPatiently(cli, () => cli.api.get("replay.get", { id }));
    if (view.sampled !== told) cli.io.say(`${id}: ${view.sampled} of ${view.n} sampled`);
    told = view.sampled;
    if (isReplayOver(view.status)) return describe(view);
  }
}

async function show({ api }: Cli, id: string): Promise<Result> {
  return { ...describe(await api.get("replay.get", { id })), exit: EXIT.ok };
}

function describe(view: ReplayView): Result {
  const { original, samples, status, error } = view;
  const rows = [
    { name: "original", ...original, score: original.meanScore },
    ...samples.map((sample) => ({ ...sample, name: String(sample.index + 1), score: null })),
  ];
  const lines = [
    `${view.id}: turn ${view.turn} of ${view.rolloutId}, ${nameOf(view.weights)}, temperature ${view.sampling.temperature}: ${status}${error ? `: ${error}` : ""}`,
    "",
    ...formatTable(rows, [
      { title: "COMPLETION", of: ({ name }) => name },
      { title: "TOKENS", of: ({ tokens }) => tokens.ids.length, right: true },
      { title: "MEAN LOG-PROB", of: ({ meanLogprob }) => number(meanLogprob), right: true },
      { title: "UNDER THESE WEIGHTS", of: ({ score }) => number(score), right: true },
      { title: "END", of: ({ stopReason }) => stopReason },
      { title: "TEXT", of: ({ tokens }) => shorten(tokens.text.join("")) },
    ]),
  ];
  return { answer: view, lines, exit: status === "done" ? EXIT.ok : EXIT.no };
}

function nameOf(weights: ReplayWeights): string {
  if (weights.kind === "checkpoint") return `global_step_${weights.step} of ${weights.runId}`;
  return weights.kind === "live" ? `engines of ${weights.runId}` : weights.url;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS)}…` : line;
}

async function list({ api }: Cli, rolloutId: string): Promise<Result> {
  const answer = await api.get("replay.list", { rolloutId });
  const lines = formatTable(answer.replays, [
    { title: "REPLAY", of: ({ id }: ReplayRow) => id },
    { title: "TURN", of: ({ turn }) => turn, right: true },
    { title: "WEIGHTS", of: ({ weights }) => nameOf(weights) },
    { title: "TEMPERATURE", of: ({ sampling }) => number(sampling.temperature), right: true },
    { title: "SAMPLED", of: ({ sampled, n }) => `${sampled}/${n}`, right: true },
    { title: "STATUS", of: ({ status }) => status },
    { title: "BY", of: ({ actor }) => actor },
    { title: "AT", of: ({ createdAt }) => time(createdAt) },
  ]);
  return { answer, lines };
}

async function cancel({ api }: Cli, id: string): Promise<Result> {
  await api.post("replay.cancel", { id });
  return { answer: { id }, lines: [`${id} is cancelled`] };
}
