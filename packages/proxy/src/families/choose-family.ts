import type { Family, FamilyEvidence } from "#families/family.ts";
import { deepseekV31, deepseekV32 } from "#families/grammars/deepseek.ts";
import { glm } from "#families/grammars/glm.ts";
import { gptOss } from "#families/grammars/gpt-oss.ts";
import { hermes, qwen3 } from "#families/grammars/hermes.ts";
import { kimiK2, kimiK2Thinking } from "#families/grammars/kimi-k2.ts";
import { llama3 } from "#families/grammars/llama-3.ts";
import { minimaxM2 } from "#families/grammars/minimax-m2.ts";
import { plain } from "#families/grammars/plain.ts";
import { qwen3Coder, qwen35 } from "#families/grammars/qwen-xml.ts";

/** Every family, in the order in which they are asked. */
export const FAMILIES: readonly Family[] = [
  hermes,
  qwen3,
  qwen3Coder,
  qwen35,
  glm,
  deepseekV31,
  deepseekV32,
  kimiK2,
  kimiK2Thinking,
  minimaxM2,
  gptOss,
  llama3,
  plain,
];

/** The family of a model folder; with a refusal, `plain` stands in for a grammar that is not known. */
export interface FamilyChoice {
  family: Family;
  /** One sentence, without its full stop; null when the grammar is known. */
  refusal: string | null;
}

/** Chooses by what the folder shows, or by `wanted`, a family's id, where one is given. */
export function chooseFamily(evidence: FamilyEvidence, wanted: string | null = null): FamilyChoice {
  const ids = FAMILIES.map((family) => family.id).join(", ");
  if (wanted !== null) {
    const family = FAMILIES.find(({ id }) => id === wanted);
    return family
      ? { family, refusal: null }
      : { family: plain, refusal: `there is no model family "${wanted}": known are ${ids}` };
  }
  const family = FAMILIES.find((candidate) => candidate.matches(evidence));
  if (family) return { family, refusal: null };
  return {
    family: plain,
    refusal: `its template has tools or thought in a grammar that is not known (name a family if it speaks one of ${ids})`,
  };
}
