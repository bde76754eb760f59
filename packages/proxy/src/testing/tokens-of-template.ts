import { FAMILY_MODELS } from "#testing/family-models.ts";

interface TemplateTokens {
  special: readonly string[];
  plain: readonly string[];
  eos: string;
  bos?: string;
}

const SPECIAL = [
  /<[|｜][^|｜<>\s'"{}]{1,40}[|｜]>/g,
  /\[\/?(?:INST|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|SYSTEM_PROMPT|ARGS|CALL_ID|THINK)\]/g,
  /<(?:start_of_turn|end_of_turn|bos|eos|s|\/s|begin▁of▁sentence|turn\||\|turn|SPECIAL_\d+|seed:[a-z_:]+)>/g,
  /\][~!][~a-z]{1,2}\[|\]~b\]|\[e~\[/g,
];
const PLAIN = [
  /<\/?(?:seed:)?think>/g,
  /<\/?(?:minimax:)?tool_(?:call|response)>/g,
  /<\/?arg_(?:key|value)>/g,
];
/** Ends of turns, the likeliest first. */
const ENDS = [
  "<seed:eos>",
  "<SPECIAL_12>",
  "<|im_end|>",
  "<|eot_id|>",
  "<｜end▁of▁sentence｜>",
  "<end_of_turn>",
  "<turn|>",
  "<|end|>",
  "<|END_OF_TURN_TOKEN|>",
  "<|end_of_text|>",
  "<|assistant_end|>",
  "[e~[",
];

/** The control tokens of a template: a known family's own, else those that the template's text has. */
export function tokensOfTemplate(name: string, source: string): TemplateTokens {
  const known = FAMILY_MODELS.find(({ template }) => template === name);
  if (known) return known;
  const found = (patterns: readonly RegExp[]) => [
    ...new Set(patterns.flatMap((pattern) => source.match(pattern) ?? [])),
  ];
  const plain = found(PLAIN);
  const special = found(SPECIAL).filter((text) => !plain.includes(text));
  // Phi's templates print the end of text by its variable alone.
  const eos = name.startsWith("phi")
    ? "<|endoftext|>"
    : (ENDS.find((end) => special.includes(end)) ?? "</s>");
  // These print the beginning of text by its variable alone.
  const bos = name.startsWith("llama") || name.startsWith("func") ? "<|begin_of_text|>" : "<s>";
  return { special: [...new Set([...special, eos, bos])], plain, eos, bos };
}
