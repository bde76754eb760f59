import type { ScriptedTurn } from "@liverl/proxy/testing/engine-stand-in";
import type { Prompt } from "#reality/agents/engine/prompt.ts";
import type { Script } from "#reality/agents/scenarios/scenario.ts";
import type { Trouble, Turn } from "#reality/agents/scenarios/turn.ts";

export type Role = "main" | "subagent" | "compaction";

interface Current {
  promptIds: readonly number[];
  ids: readonly number[];
  trouble: Trouble | undefined;
  /** How many of `ids` the prompt in hand holds already. */
  given: number;
}

const startsWith = (ids: readonly number[], start: readonly number[]) =>
  ids.length >= start.length && start.every((id, i) => id === ids[i]);

/** One script as it is played: a prompt that was answered before is answered with the same turn again. */
export class Conversation {
  readonly role: Role;
  readonly #script: Script;
  readonly #sample: (turn: Turn) => number[];
  readonly #onPrompt: (prompt: Prompt) => void;
  #current: Current | null = null;
  #over = false;

  constructor({
    role,
    script,
    sample,
    onPrompt,
  }: {
    role: Role;
    script: Script;
    sample(turn: Turn): number[];
    onPrompt(prompt: Prompt): void;
  }) {
    this.role = role;
    this.#script = script;
    this.#sample = sample;
    this.#onPrompt = onPrompt;
  }

  /** Whether the script's last turn has been given. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Whether these ids are what was asked and sampled last, and more. */
  isExtendedBy(ids: readonly number[]): boolean {
    const current = this.#current;
    return current !== null && startsWith(ids, [...current.promptIds, ...current.ids]);
  }

  answer(prompt: Prompt): ScriptedTurn {
    const current = this.#current;
    const rest = current ? this.#restFor(current, prompt.ids) : null;
    if (current && rest) return rest;
    this.#onPrompt(prompt);
    const step = current ? this.#script.next(prompt) : this.#script.next();
    if (step.done) throw new Error("the client asked again after the last turn");
    this.#current = {
      promptIds: prompt.ids,
      ids: this.#sample(step.value),
      trouble: step.value.trouble,
      given: 0,
    };
    this.#over = step.value.isLast === true;
    return this.#give(this.#current);
  }

  /** The same prompt again, or one that goes on from what a request that ended early had given. */
  #restFor(current: Current, ids: readonly number[]): ScriptedTurn | null {
    const given = ids.length - current.promptIds.length;
    if (given < 0 || given >= current.ids.length) return null;
    if (!startsWith(ids, [...current.promptIds, ...current.ids.slice(0, given)])) return null;
    current.given = given;
    return this.#give(current);
  }

  #give(current: Current): ScriptedTurn {
    const ids = current.ids.slice(current.given);
    const trouble = current.trouble;
    current.trouble = undefined;
    const half = Math.ceil(ids.length / 2);
    switch (trouble?.kind) {
      case "refuse":
        return { ids: [], status: trouble.status };
      case "break":
        return { ids, dieAfterChunks: 1 };
      case "sync":
        return { ids: ids.slice(0, half), finish: "abort" };
      case "length":
        return { ids: ids.slice(0, -1), finish: "length" };
      case "slow":
        // One chunk, so that the whole wait comes before the first token.
        return { ids, delayMs: trouble.delayMs, idsPerChunk: ids.length };
      case "trickle":
        return { ids, delayMs: trouble.delayMs, idsPerChunk: 4 };
      default:
        return { ids };
    }
  }
}
