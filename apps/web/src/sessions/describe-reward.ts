import type { SessionOutline } from "@liverl/contract/session-view";
import { formatNumber } from "#ui/format-number.ts";

/** A reward in few words: the plain number, and whatever else the verifier named; null when there is none. */
export function describeReward(reward: SessionOutline["reward"]): string | null {
  const named = Object.entries(reward ?? {}).flatMap(([name, value]) =>
    name === "reward" ? [] : [`${name} ${formatNumber(value)}`],
  );
  const plain = reward?.reward;
  const words = [...(plain === undefined ? [] : [formatNumber(plain)]), ...named];
  return words.length === 0 ? null : words.join(", ");
}
