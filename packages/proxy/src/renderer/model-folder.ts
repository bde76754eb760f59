import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { isMissing } from "@liverl/durable/atomic-file";
import { z } from "zod";

const TokenText = z.union([z.string(), z.looseObject({ content: z.string() })]).nullish();
const TokenizerConfig = z.looseObject({
  bos_token: TokenText,
  eos_token: TokenText,
  unk_token: TokenText,
  pad_token: TokenText,
  chat_template: z
    .union([z.string(), z.array(z.looseObject({ name: z.string(), template: z.string() }))])
    .nullish(),
});
const SPECIAL_NAMES = ["bos_token", "eos_token", "unk_token", "pad_token"] as const;
const ModelConfig = z.looseObject({
  model_type: z.string().nullish(),
  eos_token_id: z.union([z.number(), z.array(z.number())]).nullish(),
});
export const AddedToken = z.looseObject({
  id: z.number().int(),
  content: z.string(),
  special: z.boolean().default(false),
  lstrip: z.boolean().default(false),
  rstrip: z.boolean().default(false),
  single_word: z.boolean().default(false),
});
export type AddedToken = z.infer<typeof AddedToken>;
const TokenizerFile = z.looseObject({ added_tokens: z.array(AddedToken).default([]) });

/** What a Hugging Face folder says, as read. */
export interface ModelFolder {
  tokenizerText: string;
  /** The same tokenizer without added tokens: whatever text it gets, it yields no control id. */
  bareTokenizerText: string;
  addedTokens: AddedToken[];
  template: string;
  /** Names that a template knows special tokens by: `bos_token` and so on. */
  specialTokens: Readonly<Record<string, string>>;
  eosIds: number[];
  tokenizerSha256: string;
  chatTemplateSha256: string;
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const textOf = (token: z.infer<typeof TokenText>) =>
  typeof token === "string" ? token : (token?.content ?? null);

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Throws BAD_REQUEST with the reason when the folder lacks a part. */
export async function readModelFolder(directory: string): Promise<ModelFolder> {
  const [tokenizerText, configText, templateText, modelText, generationText] = await Promise.all(
    [
      "tokenizer.json",
      "tokenizer_config.json",
      "chat_template.jinja",
      "config.json",
      "generation_config.json",
    ].map((name) => readText(join(directory, name))),
  );
  if (tokenizerText == null) throw refusal(directory, "it has no tokenizer.json");
  const tokenizer = TokenizerFile.parse(JSON.parse(tokenizerText));
  const config = TokenizerConfig.parse(JSON.parse(configText ?? "{}"));
  const template = templateText ?? templateOf(config.chat_template);
  if (template === null) throw refusal(directory, "it has no chat template");
  const eosIds = [modelText, generationText].flatMap(
    (text) => ModelConfig.parse(JSON.parse(text ?? "{}")).eos_token_id ?? [],
  );
  const eosToken = textOf(config.eos_token);
  const eosOfConfig = tokenizer.added_tokens.find((token) => token.content === eosToken)?.id;
  return {
    tokenizerText,
    bareTokenizerText: JSON.stringify({
      ...tokenizer,
      added_tokens: [],
      post_processor: null,
      truncation: null,
      padding: null,
    }),
    addedTokens: tokenizer.added_tokens,
    template,
    specialTokens: Object.fromEntries(
      SPECIAL_NAMES.flatMap((name) => {
        const text = textOf(config[name]);
        return text === null ? [] : [[name, text]];
      }),
    ),
    eosIds: [...new Set(eosOfConfig === undefined ? eosIds : [...eosIds, eosOfConfig])],
    tokenizerSha256: sha256(tokenizerText),
    chatTemplateSha256: sha256(template),
  };
}

function templateOf(given: z.infer<typeof TokenizerConfig>["chat_template"]): string | null {
  if (!Array.isArray(given)) return given ?? null;
  return given.find((named) => named.name === "default")?.template ?? null;
}

export function refusal(directory: string, why: string): AppError {
  return new AppError("BAD_REQUEST", {
    userMessage: `The model folder ${directory} can not be served: ${why}.`,
  });
}
