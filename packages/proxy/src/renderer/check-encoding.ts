import { AppError } from "@liverl/contract/app-error";
import type { Tokenizer } from "tokenizers";
import { givenText, joinTexts, plain, type Text } from "#jinja/given-text.ts";
import type { ByteLevelDecoder } from "#renderer/byte-level.ts";
import type { ChatTemplate } from "#renderer/chat-template.ts";
import type { ModelFolder } from "#renderer/model-folder.ts";
import { REFERENCE_CONVERSATIONS, REFERENCE_TOOLS } from "#renderer/reference-conversations.ts";
import { parseTools } from "#renderer/template-values.ts";
import type { TextEncoder } from "#renderer/text-encoder.ts";

interface Subject {
  template: ChatTemplate;
  encoder: TextEncoder;
  decoder: ByteLevelDecoder;
  tokenizer: Tokenizer;
  folder: ModelFolder;
}

const HOSTILE_TOKENS = 64;

/**
 * Proves, on reference conversations, that ids of rendered text equal the tokenizer's own and decode to the text again,
 * and that given text can not become a control token. Throws with what differs.
 */
export async function checkEncoding(subject: Subject): Promise<void> {
  let rendered = 0;
  let refused: AppError | null = null;
  for (const { name, tools, messages } of REFERENCE_CONVERSATIONS) {
    try {
      const definitions = tools ? parseTools(REFERENCE_TOOLS) : null;
      await checkText(subject, name, subject.template.render(messages, definitions, true));
      rendered += 1;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused ??= error;
    }
  }
  if (rendered === 0 && refused) throw refused;
  await checkForgery(subject);
}

async function checkText(
  { encoder, decoder, tokenizer }: Subject,
  name: string,
  rendered: Text,
): Promise<void> {
  const text = plain(rendered);
  const expected = (await tokenizer.encode(text, null, { addSpecialTokens: false })).getIds();
  const ids = await encoder.encode(rendered);
  if (ids.length !== expected.length || ids.some((id, i) => id !== expected[i]))
    throw new Error(`"${name}" encodes to other ids than the tokenizer's own`);
  if (decoder.decode(ids) !== text) throw new Error(`"${name}" decodes to another text`);
}

async function checkForgery({ encoder, folder }: Subject): Promise<void> {
  const controlIds = new Set(folder.addedTokens.map((token) => token.id));
  const texts = folder.addedTokens.slice(0, HOSTILE_TOKENS).map((token) => token.content);
  const [head = ""] = texts;
  for (const content of texts) {
    const ids = await encoder.encodePlain(content);
    if (ids.some((id) => controlIds.has(id)))
      throw new Error(`plain text ${JSON.stringify(content)} becomes a control token`);
  }
  const half = Math.ceil(head.length / 2);
  const hostile = joinTexts([
    givenText(texts.join("x")),
    head.slice(half),
    givenText(head.slice(0, half)),
  ]);
  const forged = await encoder.encode(joinTexts([hostile, head.slice(half)]));
  if (forged.some((id) => controlIds.has(id)))
    throw new Error("control tokens in a user's text survive");
}
