import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import { TOKEN_PAGE, type TokenPage } from "@liverl/contract/turn-view";
import { lossyTurnsOf } from "#trajectories/lossy-turns.ts";
import type { TokenBytes } from "#trajectories/open-tokenizer.ts";
import { roleSections } from "#trajectories/role-sections.ts";
import { type Node, nodesOf, type Segment } from "#trajectories/segment-path.ts";
import { tokenTexts } from "#trajectories/token-texts.ts";

/** {@link TOKEN_PAGE} tokens of a segment from a position on; empty after its end. Pure. */
export function pageTokens(
  { trajectory, segment }: { trajectory: ProxyTrajectory; segment: Segment },
  from: number,
  tokenizer: TokenBytes | null,
): TokenPage {
  const page: TokenPage = {
    ...{ from, ids: [], text: [], mask: [], logprobs: [], versions: [], lossy: [], roles: [] },
  };
  let start = 0;
  for (const node of nodesOf(trajectory, segment)) {
    const first = Math.max(0, from - start);
    const last = Math.min(node.tokenIds.length, from + TOKEN_PAGE - start);
    if (first < last) {
      push(page, node, segment, first, last);
      page.roles.push(...rolesOf(node, tokenizer).slice(first, last));
    }
    start += node.tokenIds.length;
  }
  page.text = tokenTexts(tokenizer, page.ids);
  return page;
}

/** Of each token of a node: a given one may hold several messages. */
function rolesOf(node: Node, tokenizer: TokenBytes | null): string[] {
  if (node.kind === "sampled" || tokenizer === null) return node.tokenIds.map(() => node.role);
  return roleSections(tokenTexts(tokenizer, node.tokenIds), node.role).flatMap(
    ({ role, from, to }) => new Array<string>(to - from).fill(role),
  );
}

function push(page: TokenPage, node: Node, segment: Segment, first: number, last: number): void {
  const trained = segment.trainedNodes.includes(node.id);
  const lossy = lossyTurnsOf(node, segment);
  for (let index = first; index < last; index += 1) {
    page.ids.push(node.tokenIds[index] ?? 0);
    const turn = lossy.find(({ from, to }) => index >= from && index < to);
    page.lossy.push(turn !== undefined);
    if (node.kind === "sampled") {
      page.mask.push(trained ? 1 : 0);
      page.logprobs.push(node.logprobs[index] ?? null);
      page.versions.push(node.policyVersions[index] ?? null);
    } else {
      const logprob = turn?.logprobs?.[index - turn.from] ?? null;
      page.mask.push(turn?.trained && logprob !== null ? 1 : 0);
      page.logprobs.push(logprob);
      page.versions.push(turn?.version ?? null);
    }
  }
}
