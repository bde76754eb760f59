import type { TurnOutline } from "@liverl/contract/turn-view";
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
export function prepareOutline(turns: readonly TurnOutline[]): OutlineRow[] {
  const rows: OutlineRow[] = [];
  let version: number | null = null;
  let hasTask = false;
  for (const [at, turn] of turns.entries()) {
    const base = {
      kind: "turn",
      nodeId: turn.nodeId,
      turn: turn.turn,
      tokens: turn.tokens,
      failed: false,
    } as const;
    if (turn.kind === "given") {
      if (turn.role === "tool") continue;
      const ofUser = hasTask ? turn.label : "Task";
      const isBoth = turn.role !== "system" && turn.roles.includes("system");
      const label =
        turn.role === "system" ? "System prompt" : isBoth ? `System prompt, ${ofUser}` : ofUser;
      if (turn.role === "user") hasTask = true;
      rows.push({
        ...base,
        icon: turn.role === "system" ? "file" : ofUser === "Task" ? "flag" : "user",
        label,
      });
      continue;
    }
    const first = turn.versions.find(([known]) => known !== null)?.[0] ?? null;
    if (version !== null && first !== null && first !== version)
      rows.push({
        kind: "break",
        key: `v${turn.nodeId}`,
        label: `weights v${version} → v${first}`,
      });
    version = turn.versions.findLast(([known]) => known !== null)?.[0] ?? version;
    const failed = answersOf(turns, at).some((answer) => answer.failed);
    rows.push({ ...base, ...describeTurn(turn), failed });
  }
  return rows;
}

/** Icon of a tool by what its name says it does. */
export function toolIcon(name: string): IconName {
  if (/edit|write|replace|patch|create/i.test(name)) return "edit";
  if (/read|view|open|cat/i.test(name)) return "read";
  if (/grep|search|find|glob/i.test(name)) return "search";
  if (/submit|finish|done|complete/i.test(name)) return "flag";
  return "term";
}

function answersOf(turns: readonly TurnOutline[], at: number): TurnOutline[] {
  const answers: TurnOutline[] = [];
  for (let next = at + 1; turns[next]?.kind === "given"; next += 1) {
    const answer = turns[next];
    if (answer) answers.push(answer);
  }
  return answers;
}

function describeTurn(turn: TurnOutline): { icon: IconName; label: string } {
  const [call] = turn.toolCalls;
  if (!call) return { icon: "brain", label: turn.label || "Answer" };
  const more = turn.toolCalls.length > 1 ? ` +${turn.toolCalls.length - 1}` : "";
  return {
    icon: toolIcon(call.name),
    label: `${call.name} ${call.summary}`.trim() + more,
  };
}
