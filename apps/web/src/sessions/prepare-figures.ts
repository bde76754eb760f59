import type { SessionOutline } from "@liverl/contract/session-view";
import { FORK_WORDS } from "#sessions/fork-words.ts";
import type { PreparedTree } from "#sessions/prepare-tree.ts";
import { formatCount, formatPercent } from "#ui/format-number.ts";

export interface SessionFigure {
  label: string;
  value: string;
  below: string;
  tone: "warn" | null;
}

/** The numbers above the tree. */
export function prepareFigures(session: SessionOutline, tree: PreparedTree): SessionFigure[] {
  const total = session.nodes.reduce((sum, { tokens }) => sum + tokens, 0);
  const sampled = session.nodes
    .filter(({ kind }) => kind === "sampled")
    .reduce((sum, { tokens }) => sum + tokens, 0);
  const trained = session.segments.reduce((sum, { trainedTokens }) => sum + trainedTokens, 0);
  const unplanned = tree.forks.filter(({ reason }) => !FORK_WORDS[reason].planned).length;
  const reasons = new Set(session.segments.flatMap(({ reason }) => reason ?? []));
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
      sampled - trained,
      sampled === trained
        ? "every sampled token trains"
        : [...reasons].join(", ") || "sampled tokens",
    ),
    figure("Rewritten by the client", rewritten, "calls held by tool-call ids"),
    figure(
      "Calls without an answer",
      unanswered.length,
      unanswered.length > 0 ? [...new Set(unanswered)].join(", ") : "all were answered",
    ),
  ];
}

/** In full up to a million: these are exact counts. */
const formatFull = (value: number) =>
  value < 1e6 ? value.toLocaleString("en-US") : formatCount(value);
