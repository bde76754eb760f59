import type { Call, SampledNode } from "@liverl/contract/trajectory";
import type { Renderer } from "#renderer/renderer.ts";
import type { Session } from "#sessions/session.ts";
import { sentToolCalls } from "#tree/canonical-message.ts";
import { pathTo } from "#tree/session-tree.ts";

/** A turn that is on disk, as every answer, streamed or not, first or replayed, is made from it. */
export interface CommittedTurn {
  call: Call;
  node: SampledNode;
  /** Ids of the whole prompt, for clients that ask for them. */
  promptIds(): readonly number[];
  /** What a sampled id stands for: it may be a part of a character. */
  tokenBytes(id: number): Uint8Array;
}

/** A turn of a session's tree with what its answer may need. */
export function committedTurn(
  session: Pick<Session, "tree">,
  renderer: Pick<Renderer, "tokenBytes">,
  call: Call,
  node: SampledNode,
): CommittedTurn {
  return {
    call,
    node,
    promptIds: () =>
      pathTo(session.tree.get(node.parentId)).flatMap((place) => place.node.tokenIds),
    tokenBytes: (id) => renderer.tokenBytes(id),
  };
}

/** What a turn says, in no dialect's words. */
export interface SaidTurn {
  reasoning: string;
  content: string;
  toolCalls: { id: string; name: string; arguments: string }[];
}

export function saidBy({ message }: SampledNode): SaidTurn {
  const reasoning = message.reasoning_content;
  return {
    reasoning: typeof reasoning === "string" ? reasoning : "",
    content: typeof message.content === "string" ? message.content : "",
    toolCalls: sentToolCalls(message).map((call) => ({
      id: call.id ?? "",
      name: call.function.name,
      arguments: call.function.arguments,
    })),
  };
}

/** What is left of `whole` for a client that was told `said` as it was sampled. */
export function restOf(whole: string, said: string): string {
  return whole.startsWith(said) ? whole.slice(said.length) : "";
}
