import type { ScriptedTurn } from "@liverl/proxy/testing/engine-stand-in";
import type { Prompt } from "#reality/agents/engine/prompt.ts";
import type { Script } from "#reality/agents/scenarios/scenario.ts";
import type { Trouble, Turn } from "#reality/agents/scenarios/turn.ts";

export type Role = "main" | "subagent" | "compaction";

interface Current {
  promptIds: readonly number[];
  ids: readonly number[];
  trouble: Trouble | undefined;
  /** Ids of `ids` that an ended request has already given. */
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

  /** The same prompt again, or the one that resumes an aborted request. */
  #restFor(current: Current, ids: readonly number[]): ScriptedTurn | null {
    const asked = [...current.promptIds, ...current.ids.slice(0, current.given)];
    return ids.length === asked.length && startsWith(ids, asked) ? this.#give(current) : null;
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
        current.given += half;
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
