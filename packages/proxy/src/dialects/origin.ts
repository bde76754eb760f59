import type { IncomingHttpHeaders } from "node:http";
import { TASK_STEP_HEADER } from "@liverl/contract/trajectory";
import { z } from "zod";

/** What a client's headers say about where in its work a call comes from. */
export interface Origin {
  /** Names the subagent that calls; null for the agent itself and for clients that do not say. */
  subagent: string | null;
  /** The step of the task that the agent is at; null where the task has none. Each step is a conversation of its own. */
  taskStep: string | null;
  /** The client says that it is summarising its history. */
  isCompaction: boolean;
  /** `x-stainless-retry-count`; null where the client says nothing. */
  retryCount: number | null;
}

const MAX_STEP_NAME = 255;
const TurnMetadata = z.looseObject({ request_kind: z.string().optional() });

/**
 * Claude Code names subagents by `x-claude-code-agent-id`; Codex by `x-codex-parent-thread-id` beside `thread-id`;
 * OpenCode by `x-parent-session-id` beside `x-session-id` (measured: Claude Code 2.1.329, Codex 0.169, OpenCode 1.18).
 */
export function originOf(headers: IncomingHttpHeaders): Origin {
  const text = (name: string) => {
    const value = headers[name];
    return typeof value === "string" && value !== "" ? value : null;
  };
  const codex = text("x-codex-parent-thread-id") ? text("thread-id") : null;
  const opencode = text("x-parent-session-id") ? text("x-session-id") : null;
  const retries = text("x-stainless-retry-count");
  return {
    subagent: (text("x-claude-code-agent-id") ?? codex ?? opencode)?.slice(0, 200) ?? null,
    taskStep: taskStepOf(text(TASK_STEP_HEADER)),
    isCompaction: requestKindOf(text("x-codex-turn-metadata")) === "compaction",
    retryCount: retries !== null && /^\d{1,4}$/.test(retries) ? Number(retries) : null,
  };
}

function taskStepOf(encoded: string | null): string | null {
  if (encoded === null) return null;
  try {
    return decodeURIComponent(encoded).slice(0, MAX_STEP_NAME);
  } catch {
    // Not ours: it is a name as it stands.
    return encoded.slice(0, MAX_STEP_NAME);
  }
}

function requestKindOf(metadata: string | null): string | null {
  if (metadata === null) return null;
  try {
    return TurnMetadata.safeParse(JSON.parse(metadata)).data?.request_kind ?? null;
  } catch {
    // Not JSON: a header says nothing then.
    return null;
  }
}
