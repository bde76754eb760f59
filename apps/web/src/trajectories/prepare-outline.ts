import type { TurnView } from "@liverl/contract/views";
import type { IconName } from "#ui/icon.tsx";

export type OutlineRow =
  | {
      kind: "turn";
      nodeId: number;
      turn: number | null;
      icon: IconName;
      label: string;
      tokens: number;
      failed: boolean;
    }
  | { kind: "break"; key: string; label: string };

/** The conversation as a list of places to jump to. Tool answers belong to the turn that called. */
export function prepareOutline(turns: readonly TurnView[]): OutlineRow[] {
  const rows: OutlineRow[] = [];
  let version: number | null = null;
  let hasTask = false;
  for (const [at, turn] of turns.entries()) {
    const tokens = turn.tokens.ids.length;
    const base = {
      kind: "turn",
      nodeId: turn.nodeId,
      turn: turn.turn,
      tokens,
      failed: false,
    } as const;
    if (turn.kind === "given") {
      if (turn.role === "tool") continue;
      const label =
        turn.role === "system" ? "System prompt" : hasTask ? firstWords(turn.text) : "Task";
      if (turn.role === "user") hasTask = true;
      rows.push({
        ...base,
        icon: turn.role === "system" ? "file" : label === "Task" ? "flag" : "user",
        label,
      });
      continue;
    }
    const first = turn.tokens.versions?.find((known) => known !== null) ?? null;
    if (version !== null && first !== null && first !== version)
      rows.push({
        kind: "break",
        key: `v${turn.nodeId}`,
        label: `weights v${version} → v${first}`,
      });
    version = turn.tokens.versions?.findLast((known) => known !== null) ?? version;
    const failed = answersOf(turns, at).some((answer) => looksFailed(answer.text));
    rows.push({ ...base, ...describeTurn(turn), failed });
  }
  return rows;
}

/** Whether a tool's answer reports a fault. */
export function looksFailed(text: string): boolean {
  return /^(ERROR|FAIL|Traceback|fatal:)|\bexit(ed)? (code )?[1-9]\d*\b|^\w*Error:/m.test(text);
}

/** Icon of a tool by what its name says it does. */
export function toolIcon(name: string): IconName {
  if (/edit|write|replace|patch|create/i.test(name)) return "edit";
  if (/read|view|open|cat/i.test(name)) return "read";
  if (/grep|search|find|glob/i.test(name)) return "search";
  if (/submit|finish|done|complete/i.test(name)) return "flag";
  return "term";
}

/** The argument that tells most about a call, on one line. */
export function callSummary(argumentsText: string): string {
  let values: unknown;
  try {
    values = JSON.parse(argumentsText);
  } catch {
    return firstWords(argumentsText);
  }
  if (typeof values !== "object" || values === null) return firstWords(argumentsText);
  const parts = Object.entries(values).map(([key, value]) =>
    typeof value === "string"
      ? firstWords(value)
      : typeof value === "number" || typeof value === "boolean"
        ? `${key} ${value}`
        : key,
  );
  return parts.join(" · ");
}

function answersOf(turns: readonly TurnView[], at: number): TurnView[] {
  const answers: TurnView[] = [];
  for (const next of turns.slice(at + 1)) {
    if (next.kind === "sampled") break;
    answers.push(next);
  }
  return answers;
}

function describeTurn(turn: TurnView): { icon: IconName; label: string } {
  const [call] = turn.toolCalls;
  if (!call) return { icon: "brain", label: firstWords(turn.text) || "Answer" };
  const more = turn.toolCalls.length > 1 ? ` +${turn.toolCalls.length - 1}` : "";
  return {
    icon: toolIcon(call.name),
    label: `${call.name} ${callSummary(call.argumentsText)}`.trim() + more,
  };
}

function firstWords(text: string): string {
  const line = text.trim().split("\n")[0] ?? "";
  return line.length > 48 ? `${line.slice(0, 47)}…` : line;
}
