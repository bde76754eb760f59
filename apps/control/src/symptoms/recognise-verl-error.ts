import { stripVTControlCharacters } from "node:util";
import { CLUSTER_SIGNS } from "#symptoms/cluster-signs.ts";
import { CONFIG_SIGNS } from "#symptoms/config-signs.ts";
import { MEMORY_SIGNS } from "#symptoms/memory-signs.ts";
import { ROLLOUT_SIGNS } from "#symptoms/rollout-signs.ts";
import type { Symptom } from "#symptoms/symptom.ts";

/** Causes before what they lead to: an actor that died is told only when nothing says why. */
export const VERL_SIGNS = [...CONFIG_SIGNS, ...MEMORY_SIGNS, ...ROLLOUT_SIGNS, ...CLUSTER_SIGNS];

/** What the end of verl's console log gives away, in words that say what to do; null where no sign is known. Pure. */
export function recogniseVerlError(logTail: string): Symptom | null {
  const text = stripVTControlCharacters(logTail);
  for (const sign of VERL_SIGNS) {
    const found = sign.pattern.exec(text);
    if (found === null) continue;
    const fill = (words: string) =>
      words.replace(/\$(\d)/g, (_, group: string) => found[Number(group)] ?? "it");
    return {
      id: sign.id,
      cause: fill(sign.cause),
      fix: fill(sign.fix),
      field: sign.field ?? null,
    };
  }
  return null;
}
