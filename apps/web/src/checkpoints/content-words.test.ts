import { expect, test } from "vitest";
import { contentWords } from "#checkpoints/content-words.ts";

test.each([
  [
    [
      "COMPLETE",
      "chat_template.jinja",
      "model.safetensors",
      "optimizer.safetensors",
      "trainer_state.json",
    ],
    "model · optimiser · data state",
  ],
  [["actor/ (12 files)", "data.pt"], "model · optimiser · data state"],
  [
    ["actor/ (12 files)", "critic/ (9 files)", "data.pt", "hf/ (4 files)"],
    "model · optimiser · critic · data state · merged model",
  ],
  [["weights.bin"], "weights.bin"],
  [[], "—"],
])("%j holds %s", (contents, words) => expect(contentWords(contents)).toBe(words));
