import type { OfSegment, RolloutActs } from "@liverl/contract/turn-view";
import type { Context } from "#context.ts";
import { callSummary } from "#trajectories/describe-turn.ts";
import { getSegment } from "#trajectories/get-segment.ts";
import { messagesOf, nodesOf, textOfNode } from "#trajectories/segment-path.ts";
import { callsOf } from "#trajectories/tool-calls.ts";

const ANSWER_CHARACTERS = 2_000;
const FINAL_CHARACTERS = 16_000;

/** What a rollout did, call by call, and its last message. */
export async function listActs(
  ctx: Pick<Context, "db" | "config" | "runner">,
  input: OfSegment,
): Promise<RolloutActs> {
  const { trajectory, segment } = await getSegment(ctx, input);
  const path = nodesOf(trajectory, segment);
  const answers = new Map(
    path.flatMap((node) =>
      messagesOf(node).flatMap(({ tool_call_id: id }) =>
        typeof id === "string" ? [[id, cut(textOfNode(node), ANSWER_CHARACTERS)] as const] : [],
      ),
    ),
  );
  const sampled = path.filter(({ kind }) => kind === "sampled");
  const calls = sampled.flatMap((node, at) =>
    callsOf(node).map(({ id, name, argumentsText }) => ({
      ...{ id, name, summary: callSummary(argumentsText), turn: at + 1 },
      answer: answers.get(id) ?? null,
    })),
  );
  const last = sampled.at(-1);
  if (!last) return { calls, final: null };
  const text = textOfNode(last).trim();
  const called = callsOf(last).map(
    ({ name, argumentsText }) => `${name}(${callSummary(argumentsText)})`,
  );
  return { calls, final: cut(text || called.join("\n"), FINAL_CHARACTERS) };
}

const cut = (text: string, characters: number) =>
  text.length > characters ? `${text.slice(0, characters)}\n… cut` : text;
