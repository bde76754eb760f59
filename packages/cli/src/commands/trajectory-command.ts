import type { TurnOutline } from "@liverl/contract/turn-view";
import type { TrajectoryView } from "@liverl/contract/views";
import type { Command } from "commander";
import type { Act, Cli } from "#cli.ts";
import { listTokens } from "#commands/list-tokens.ts";
import { whole } from "#commands/parse-number.ts";
import { formatTable } from "#output/format-table.ts";
import { number, span } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

const MOST_CHARS = 100;

export function addTrajectoryCommand(program: Command, act: Act): void {
  const trajectory = program
    .command("trajectory")
    .description("Show a rollout turn by turn, or give its tokens as JSON.");
  trajectory
    .command("show", { isDefault: true })
    .description("Its turns, verdict and files.")
    .argument("<rollout>", "its id")
    .option("--segment <id>", "the turns of this segment", whole())
    .action(act(show));
  trajectory
    .command("flatten")
    .description("Its segments as the trainer gets them: tokenIds, mask, logprobs, policyVersions.")
    .argument("<rollout>", "its id, or that of an outside agent's session")
    .option("--segment <id>", "this segment alone", whole())
    .action(act(flatten));
  trajectory
    .command("tokens")
    .description("Its tokens: how each was sampled, and what the update that took it computed.")
    .argument("<rollout>", "its id")
    .option("--segment <id>", "of this segment", whole())
    .option("--from <position>", "from this token of the segment on", whole(), 0)
    .option("-n, --limit <count>", "at most so many", whole(1), 200)
    .action(act(listTokens));
  trajectory
    .command("atif")
    .description("It in Harbor's trajectory format (ATIF).")
    .argument("<rollout>", "its id, or that of an outside agent's session")
    .action(act(atif));
}

async function show(
  { api }: Cli,
  rolloutId: string,
  { segment: segmentId }: { segment?: number },
): Promise<Result> {
  const answer = await api.get("trajectory.get", { rolloutId, segmentId });
  return { answer, lines: describe(answer) };
}

function describe({ rollout, segments, turns, verifier, files }: TrajectoryView): string[] {
  const { rolloutId, status, reward, termination, error, tokensSampled, integrityKinds } = rollout;
  return [
    `${rolloutId}: ${status}, reward ${number(reward) ?? "none"}, ${termination ?? "not over"}, ${tokensSampled} tokens sampled`,
    ...(error ? [`${error.exception_type}: ${error.exception_message}`] : []),
    ...(integrityKinds.length > 0
      ? [`signs that the reward was not earned: ${integrityKinds.join(", ")}`]
      : []),
    "",
    ...formatTable(turns, [
      { title: "NODE", of: ({ nodeId }) => nodeId, right: true },
      { title: "TURN", of: ({ turn }) => turn, right: true },
      { title: "ROLE", of: ({ role }) => role },
      { title: "TRAINS", of: ({ trained }) => (trained ? "yes" : null) },
      { title: "TOKENS", of: ({ tokens }) => tokens, right: true },
      { title: "SECONDS", of: secondsOf, right: true },
      { title: "TEXT", of: textOf },
    ]),
    "",
    ...formatTable(segments, [
      { title: "SEGMENT", of: ({ id }) => id, right: true },
      { title: "TRAINS", of: ({ trainable, reason }) => (trainable ? "yes" : reason) },
      { title: "NODES", of: ({ nodes }) => nodes.length, right: true },
    ]),
    ...(verifier ? ["", `verifier: ${verifier.outcome}`] : []),
    ...(files.length > 0 ? ["", ...files.map(({ path }) => path)] : []),
  ];
}

const secondsOf = ({ startedAt, endedAt }: TurnOutline) =>
  startedAt && endedAt ? number(span(startedAt, endedAt)) : null;

function textOf({ label, toolCalls }: TurnOutline): string {
  const calls = toolCalls.map(({ name, summary }) => `${name}(${summary})`);
  const whole = [label.trim(), ...calls].filter(Boolean).join(" ").replace(/\s+/g, " ");
  return whole.length > MOST_CHARS ? `${whole.slice(0, MOST_CHARS)}…` : whole;
}

/** What it gives is for programs: people get the same JSON. */
const asJson = (answer: object): Result => ({ answer, lines: [JSON.stringify(answer)] });

async function flatten({ api }: Cli, id: string, { segment: segmentId }: { segment?: number }) {
  return asJson(await api.get("trajectory.flat", { id, segmentId }));
}

async function atif({ api }: Cli, id: string): Promise<Result> {
  return asJson(await api.get("trajectory.atif", { id }));
}
