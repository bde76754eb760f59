import type { GivenNode } from "@liverl/contract/trajectory";
import { TokenPrompt } from "#backends/token-prompt.ts";
import type { BegunCall } from "#calls/begin-call.ts";
import type { CallContext } from "#calls/call-context.ts";
import { type RecomputedLogprobs, recomputeLogprobs } from "#calls/recompute-logprobs.ts";
import type { Session } from "#sessions/session.ts";
import { lossySpans } from "#tree/lossy-tokens.ts";
import { type Place, pathTo } from "#tree/session-tree.ts";

const LONGEST_MS = 120_000;

/** The path to the deepest given node that wants scores, and all that do. */
interface Wanted {
  path: readonly Place[];
  nodes: readonly GivenNode[];
  tokens: number;
}

/**
 * After a call was answered: lets the engine score the turns in its prompt that no engine sampled, in sessions that
 * train them. Each node is asked about once, whatever comes of it, and an engine that can not score is not asked again.
 */
export function scoreLossyTurns(ctx: CallContext, begun: BegunCall): void {
  const { session, prompt, entry } = begun;
  const { trains } = session.open;
  if (!trains.includes("recomputed") || !trains.includes(entry.call.kind)) return;
  if (!wantedOn(session, prompt)) return;
  session.scores.add(async (signal) => {
    const wanted = wantedOn(session, prompt);
    if (!wanted) return;
    for (const { id } of wanted.nodes) session.scores.asked.add(id);
    const result = await score(ctx, begun, wanted, signal).catch((error: unknown) => {
      if (!signal.aborted)
        warn(ctx, session, error instanceof Error ? error.message : String(error));
      return "failed";
    });
    ctx.metrics.recomputed.inc({ result }, wanted.tokens);
  });
}

function wantedOn({ scores }: Session, prompt: Place): Wanted | null {
  const path = pathTo(prompt);
  const isWanted = ({ node }: Place) =>
    node.kind === "given" &&
    !node.recomputed &&
    !scores.asked.has(node.id) &&
    lossySpans(node).length > 0;
  const places = path.filter(isWanted);
  const [deepest] = places.slice(-1);
  if (!deepest || scores.isRefused) return null;
  const nodes = places.flatMap(({ node }) => (node.kind === "given" ? node : []));
  const tokens = nodes.flatMap(lossySpans).reduce((sum, [from, to]) => sum + to - from, 0);
  return { path: path.slice(0, path.indexOf(deepest) + 1), nodes, tokens };
}

async function score(
  ctx: CallContext,
  begun: BegunCall,
  { path, nodes }: Wanted,
  closed: AbortSignal,
): Promise<"scored" | "refused"> {
  const { session, entry, sampling } = begun;
  const signal = AbortSignal.any([closed, AbortSignal.timeout(LONGEST_MS)]);
  const requestId = `${session.id}-c${entry.call.id}-score`;
  // A greedy choice has no distribution of its own: it is scored at temperature 1, as engines do.
  const temperature = sampling.temperature > 0 ? sampling.temperature : 1;
  const { engines } = ctx.store.pools.get(session.open.poolId);
  const replica = await engines.acquire(session.replica, signal);
  let scored: RecomputedLogprobs | null;
  try {
    const prompt = new TokenPrompt(path.map(({ node }) => node.tokenIds));
    scored = await recomputeLogprobs(replica.backend, {
      ...{ prompt, from: 0, requestId, temperature, signal },
    });
  } finally {
    engines.release(replica);
  }
  if (!scored) {
    session.scores.isRefused = true;
    warn(ctx, session, "the engine gives none, or LIVERL_RECOMPUTE_LOGPROBS is 0");
    return "refused";
  }
  const { version, logprobs } = scored;
  for (const node of nodes) {
    const start = startOf(path, node.id);
    const own = lossySpans(node).flatMap(([from, to]) =>
      logprobs.slice(start + from, start + to).map(finiteOrNull),
    );
    const recomputed = { requestId, temperature, version, logprobs: own };
    closed.throwIfAborted();
    await ctx.store.append({ t: "scores", s: session.id, node: node.id, recomputed });
    session.recordScores({ node: node.id, recomputed });
  }
  return "scored";
}

/** Tokens before the node. */
function startOf(path: readonly Place[], nodeId: number): number {
  const place = path.find(({ node }) => node.id === nodeId);
  return place ? place.end - place.node.tokenIds.length : 0;
}

/** What can not have been sampled has no log-prob that a trainer could use. */
function finiteOrNull(logprob: number | null): number | null {
  return logprob !== null && Number.isFinite(logprob) ? logprob : null;
}

/** Once in a session: an agent may edit every turn. */
function warn({ log }: CallContext, { id, scores }: Session, why: string): void {
  if (scores.isTold) return;
  scores.isTold = true;
  log.warn(
    { session: id, why },
    "turns in the client's words stay untrained: no log-probs for them",
  );
}
