import { join } from "node:path";
import { Tokenizer } from "tokenizers";
import type { Vocabulary } from "#reality/agents/engine/vocabulary.ts";

/** Asks the tokenizer itself: the share of turns whose ids are not its own for the same text. */
export function nonCanonicalShareBy(
  modelDir: string,
  vocabulary: Vocabulary,
): (turns: readonly (readonly number[])[]) => Promise<number> {
  const tokenizer = Tokenizer.fromFile(join(modelDir, "tokenizer.json"));
  return async (turns) => {
    let other = 0;
    for (const ids of turns) {
      const own = await tokenizer.encode(vocabulary.decode(ids), null, { addSpecialTokens: false });
      if (own.getIds().join() !== ids.join()) other += 1;
    }
    return turns.length === 0 ? 0 : other / turns.length;
  };
}
