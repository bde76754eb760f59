import type { Family } from "#families/family.ts";
import { LlamaParser, PYTHON_TAG } from "#families/llama-parser.ts";

/** Llama 3.1, 3.2 and 3.3 with calls as JSON. `<|eom_id|>` ends a turn that waits for the model's own interpreter. */
export const llama3: Family = {
  id: "llama-3",
  matches: ({ template }) =>
    template.includes("<|start_header_id|>") &&
    template.includes("<|eot_id|>") &&
    template.includes('"parameters": '),
  marks: [PYTHON_TAG],
  turnEnd: {
    stops: ["<|eot_id|>", "<|eom_id|>"],
    close: "<|eot_id|>",
    closesToo: ["<|eom_id|>", "<|end_of_text|>"],
    opensNext: [],
  },
  start: (options) => new LlamaParser(options),
};
