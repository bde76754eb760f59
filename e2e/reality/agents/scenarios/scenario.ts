import type { Random } from "@liverl/contract/random";
import type { Prompt } from "#reality/agents/engine/prompt.ts";
import type { TemplateName } from "#reality/agents/engine/write-agent-model.ts";
import type { Toolbox } from "#reality/agents/scenarios/toolbox.ts";
import type { Turn } from "#reality/agents/scenarios/turn.ts";

/** What the policy says, turn by turn: each `yield` is one answer and gives the next prompt. */
export type Script = Generator<Turn, void, Prompt>;

/** What a script may look at while it goes on. */
export interface Scene {
  /** Folder that the client works in. */
  workspace: string;
  random: Random;
  /** Calls in the words of the newest prompt. */
  tools(): Toolbox;
  /** Compactions that the engine was asked for so far. */
  compactions(): number;
}

/** A fault between client and proxy, at the n-th model call (from 0) that arrives there. */
export type GatewayFault = { at: number } & (
  | { kind: "status"; status: 429 | 503; retryAfterS: number }
  /** The client's connection is cut while the turn is sampled. */
  | { kind: "cut"; afterMs: number }
);

export interface Scenario {
  name: string;
  /** User turns: each after the first resumes the client's session. */
  prompts: readonly string[];
  /** Files that the workspace starts with. */
  files(random: Random): Record<string, string>;
  main(scene: Scene): Script;
  /** One run for each conversation whose first user turn holds {@link SUBTASK}. */
  subagent?(scene: Scene): Script;
  faults?: readonly GatewayFault[];
  /** The model's template; Qwen2.5's unless it says otherwise. */
  template?: TemplateName;
  /** Whether plain text and thought leave as they are sampled. */
  stream?: "live";
  /** Tokens that the client is told its window has. */
  clientWindow?: number;
  /** Tokens that the proxy's pool has, where it is not the whole window. */
  poolWindow?: number;
  /** What the workspace must hold at the end; an error's text otherwise. */
  check(workspace: string): Promise<string | null>;
  /** Compactions that must have happened. */
  minCompactions?: number;
  minCalls: number;
}

/** For {@link Script}s that a client may ask again after their end: the same words as often as it likes. */
export function* endsWith(turn: Turn): Script {
  for (;;) yield { ...turn, isLast: true };
}

/** Stands in prompts of subagents and in no other first user turn. */
export const SUBTASK = "SUBTASK-7F3A";
/** What the policy answers to a request to compact. */
export const SUMMARY = "SUMMARY-OF-WORK";
