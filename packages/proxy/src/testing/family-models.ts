/** A real model's control tokens and chat template, for {@link writeModelFolder} to write on our own small vocabulary. */
export interface FamilyModel {
  /** The family that the folder is to be recognised as. */
  family: string;
  /** File in `testing/templates`, without `.jinja`. */
  template: string;
  /** Added tokens that the tokenizer marks as special. */
  special: readonly string[];
  /** Added tokens that it does not. */
  plain: readonly string[];
  eos: string;
}

const QWEN_SPECIAL = [
  "<|endoftext|>",
  "<|im_start|>",
  "<|im_end|>",
  "<|object_ref_start|>",
  "<|object_ref_end|>",
  "<|box_start|>",
  "<|box_end|>",
  "<|quad_start|>",
  "<|quad_end|>",
  "<|vision_start|>",
  "<|vision_end|>",
  "<|vision_pad|>",
  "<|image_pad|>",
  "<|video_pad|>",
];
const QWEN25_PLAIN = [
  "<tool_call>",
  "</tool_call>",
  "<|fim_prefix|>",
  "<|fim_middle|>",
  "<|fim_suffix|>",
  "<|fim_pad|>",
  "<|repo_name|>",
  "<|file_sep|>",
];
const QWEN3_PLAIN = [...QWEN25_PLAIN, "<tool_response>", "</tool_response>", "<think>", "</think>"];
const GLM = {
  special: [
    "<|endoftext|>",
    "[MASK]",
    "[gMASK]",
    "[sMASK]",
    "<sop>",
    "<eop>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|observation|>",
  ],
  plain: [
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
    "<arg_key>",
    "</arg_key>",
    "<arg_value>",
    "</arg_value>",
  ],
  eos: "<|endoftext|>",
};
const DEEPSEEK = {
  special: ["<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜▁pad▁｜>"],
  plain: [
    "<think>",
    "</think>",
    "<｜User｜>",
    "<｜Assistant｜>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁call▁end｜>",
    "<｜tool▁outputs▁begin｜>",
    "<｜tool▁outputs▁end｜>",
    "<｜tool▁output▁begin｜>",
    "<｜tool▁output▁end｜>",
    "<｜tool▁sep｜>",
  ],
  eos: "<｜end▁of▁sentence｜>",
};
const KIMI = {
  special: [
    "[BOS]",
    "[EOS]",
    "<|im_end|>",
    "<|im_user|>",
    "<|im_assistant|>",
    "<|im_system|>",
    "<|im_middle|>",
    "[PAD]",
  ],
  plain: [
    "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>",
    "<|tool_call_begin|>",
    "<|tool_call_argument_begin|>",
    "<|tool_call_end|>",
  ],
  eos: "[EOS]",
};
const LLAMA = {
  special: [
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|python_tag|>",
    "<|finetune_right_pad_id|>",
  ],
  plain: [],
  eos: "<|eot_id|>",
};
const CHATML_EOS = "<|im_end|>";

/** The folder of a template. */
export function familyModel(template: string): FamilyModel {
  const model = FAMILY_MODELS.find((candidate) => candidate.template === template);
  if (!model) throw new Error(`no model of ${template}`);
  return model;
}

export const FAMILY_MODELS: readonly FamilyModel[] = [
  { family: "hermes", template: "qwen2.5", special: QWEN_SPECIAL, plain: QWEN25_PLAIN },
  { family: "qwen3", template: "qwen3", special: QWEN_SPECIAL, plain: QWEN3_PLAIN },
  { family: "qwen3-coder", template: "qwen3-coder", special: QWEN_SPECIAL, plain: QWEN3_PLAIN },
  { family: "qwen3.5", template: "qwen3.5", special: QWEN_SPECIAL, plain: QWEN3_PLAIN },
  { family: "glm-4.5", template: "glm-4.5", ...GLM },
  { family: "glm-4.5", template: "glm-4.6", ...GLM },
  { family: "glm-4.5", template: "glm-4.7", ...GLM },
  { family: "deepseek-v3.1", template: "deepseek-v3.1", ...DEEPSEEK },
  {
    ...DEEPSEEK,
    family: "deepseek-v3.2",
    template: "deepseek-v3.2",
    plain: [...DEEPSEEK.plain, "｜DSML｜"],
  },
  { family: "kimi-k2", template: "kimi-k2", ...KIMI },
  {
    ...KIMI,
    family: "kimi-k2-thinking",
    template: "kimi-k2-thinking",
    plain: [...KIMI.plain, "<think>", "</think>"],
  },
  {
    family: "minimax-m2",
    template: "minimax-m2",
    special: ["]!p~[", "]~b]", "[e~[", "]~!b[", "<fim_prefix>", "<fim_middle>", "<fim_suffix>"],
    plain: ["<think>", "</think>", "<minimax:tool_call>", "</minimax:tool_call>"],
    eos: "[e~[",
  },
  {
    family: "gpt-oss",
    template: "gpt-oss",
    special: [
      "<|startoftext|>",
      "<|endoftext|>",
      "<|return|>",
      "<|constrain|>",
      "<|channel|>",
      "<|start|>",
      "<|end|>",
      "<|message|>",
      "<|call|>",
    ],
    plain: [],
    eos: "<|return|>",
  },
  { family: "llama-3", template: "llama-3.1", ...LLAMA },
  { family: "llama-3", template: "llama-3.2", ...LLAMA },
].map((model) => ({ eos: CHATML_EOS, ...model }));
