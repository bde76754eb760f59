import type { LossyCount, SessionOutline } from "@liverl/contract/session-view";
import { FORK_WORDS } from "#sessions/fork-words.ts";
import type { PreparedTree } from "#sessions/prepare-tree.ts";
import { formatCount, formatPercent } from "#ui/format-number.ts";

export interface SessionFigure {
  label: string;
  value: string;
  below: string;
  /** In full where `below` is short. */
  title?: string;
  tone: "warn" | null;
}

const HELD = "held by tool-call ids";

/** The numbers above the tree. */
export function prepareFigures(session: SessionOutline, tree: PreparedTree): SessionFigure[] {
  const total = session.nodes.reduce((sum, { tokens }) => sum + tokens, 0);
  const trained = session.segments.reduce((sum, { trainedTokens }) => sum + trainedTokens, 0);
  const unplanned = tree.forks.filter(({ reason }) => !FORK_WORDS[reason].planned).length;
  const reasons = new Set(session.segments.flatMap(({ reason }) => reason ?? []));
  const kept = session.nodes
    .filter(({ kind, trained: isTrained }) => kind === "sampled" && !isTrained)
    .reduce((sum, { tokens }) => sum + tokens, 0);
  const rewritten = session.calls.filter((call) => call.rewritten).length;
  const unanswered = session.calls.flatMap(({ status }) => (status === "done" ? [] : status));
  const figure = (
    label: string,
    value: number,
    below: string,
    tone: SessionFigure["tone"] = null,
  ) => ({ label, value: formatFull(value), below, tone });
  return [
    figure("Tokens in the tree", total, `${formatFull(tree.longest)} on the longest path`),
    figure(
      "Trained",
      trained,
      total === 0 ? "mask 1" : `${formatPercent(trained / total)}, mask 1`,
    ),
    unplanned > 0
      ? figure("Forks", tree.forks.length, `${unplanned} unplanned`, "warn")
      : figure("Forks", tree.forks.length, tree.forks.length > 0 ? "all planned" : "one line"),
    figure(
      "Kept out of training",
      kept,
      kept === 0 ? "every sampled token trains" : [...reasons].join(", ") || "sampled tokens",
    ),
    { ...figure("Rewritten by the client", rewritten, HELD), ...lossyBelow(session) },
    figure(
      "Calls without an answer",
      unanswered.length,
      unanswered.length > 0 ? [...new Set(unanswered)].join(", ") : "all were answered",
    ),
  ];
}

/** Turns that no tool-call id held stand by the client's text: they are told where there are any. */
function lossyBelow({ nodes }: SessionOutline): Partial<SessionFigure> {
  const lossy = nodes.flatMap((node) => node.lossy ?? []);
  const sum = (of: (count: LossyCount) => number) =>
    lossy.reduce((total, count) => total + of(count), 0);
  const turns = sum((count) => count.turns);
  if (turns === 0) return {};
  const tokens = formatFull(sum((count) => count.tokens));
  const recomputed = sum((count) => count.recomputed);
  const unlocated = sum((count) => count.unlocated);
  const below = `${turns === 1 ? "1 turn" : `${formatFull(turns)} turns`} by its text`;
  const title = [
    `Calls ${HELD}; ${below}, ${tokens} tokens`,
    ...(recomputed > 0 ? [`${formatFull(recomputed)} recomputed`] : []),
    ...(unlocated > 0 ? [`${formatFull(unlocated)} of unknown length`] : []),
  ].join(", ");
  return { below, title };
}

/** In full up to a million: these are exact counts. */
const formatFull = (value: number) =>
  value < 1e6 ? value.toLocaleString("en-US") : formatCount(value);
