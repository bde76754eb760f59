import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { TurnMatch } from "@liverl/contract/turn-view";
import type { TokenBytes } from "#trajectories/open-tokenizer.ts";
import { nodesOf, type Segment, textOfNode } from "#trajectories/segment-path.ts";
import { tokenTexts } from "#trajectories/token-texts.ts";

/** Nodes of a segment whose text holds `query`, in order, case left aside: a sampled one's as its tokens read. Pure. */
export function findTurns(
  { trajectory, segment }: { trajectory: ProxyTrajectory; segment: Segment },
  query: string,
  tokenizer: TokenBytes | null,
): TurnMatch[] {
  const needle = query.toLowerCase();
  if (needle === "") return [];
  return nodesOf(trajectory, segment).flatMap((node) => {
    const texts = node.kind === "sampled" ? tokenTexts(tokenizer, node.tokenIds) : null;
    const hay = (texts?.join("") ?? textOfNode(node)).toLowerCase();
    const first = hay.indexOf(needle);
    if (first < 0) return [];
    const count = hay.split(needle).length - 1;
    return [{ nodeId: node.id, count, first: texts ? tokenAt(texts, first) : first }];
  });
}

/** Index of the token that holds a character. */
function tokenAt(texts: readonly string[], offset: number): number {
  let end = 0;
  return Math.max(
    0,
    texts.findIndex((text) => {
      end += text.length;
      return offset < end;
    }),
  );
}
