import type { HonestSibling } from "@liverl/contract/verifier-view";
import { formatCount } from "#ui/format-number.ts";

/** What the sibling without a sign got and changed, and by how much that differs. Pure. */
export function compareWithSibling(reward: number | null, sibling: HonestSibling): string {
  const { patchLines, ownPatchLines } = sibling;
  const rewards = `reward ${sibling.reward.toFixed(2)}${
    reward === null ? ", and none here" : ` (${signed(sibling.reward - reward, 2)})`
  }`;
  if (patchLines === null) return `${rewards}, no patch`;
  const size = `a patch of ${formatCount(patchLines)} ${patchLines === 1 ? "line" : "lines"}`;
  return ownPatchLines === null
    ? `${rewards}, ${size}, and none here`
    : `${rewards}, ${size} (${signed(patchLines - ownPatchLines, 0)})`;
}

function signed(difference: number, digits: number): string {
  const text = Math.abs(difference).toFixed(digits);
  return Number(text) === 0 ? "the same" : `${difference > 0 ? "+" : "−"}${text}`;
}
