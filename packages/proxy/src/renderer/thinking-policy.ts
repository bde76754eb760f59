import type { ThinkingRetention } from "@liverl/contract/proxy-admin";
import type { Message } from "@liverl/contract/trajectory";
import { thoughtOf, withoutThought } from "#renderer/template-values.ts";

/** When a template drops earlier thought, as the start-up check saw it. */
export type ThoughtDrop = "never" | "user-turn" | "every-turn";

/** Says when thought that is held goes. */
export class ThinkingPolicy {
  readonly #retention: ThinkingRetention;
  readonly #drop: ThoughtDrop;

  constructor(retention: ThinkingRetention, drop: ThoughtDrop) {
    this.#retention = retention;
    this.#drop = drop;
  }

  /**
   * Whether a path with these sampled turns can not stay before these new messages, so that the conversation is
   * rendered anew: a fork that is declared, not drift.
   */
  isRootDue(sampled: readonly Message[], messages: readonly Message[]): boolean {
    if (this.#retention === "all" || !sampled.some(hasThought)) return false;
    const drop = this.#retention === "template" ? this.#drop : "user-turn";
    if (drop === "user-turn") return messages.some(({ role }) => role === "user");
    return drop === "every-turn";
  }

  /** The messages as a root is rendered from them. */
  prepare(messages: readonly Message[]): readonly Message[] {
    if (this.#retention !== "tool-cycle") return messages;
    const lastUser = messages.findLastIndex(({ role }) => role === "user");
    return messages.map((message, i) => (i < lastUser ? withoutThought(message) : message));
  }
}

const hasThought = (message: Message) => {
  const thought = thoughtOf(message);
  return thought !== null && thought !== "";
};
