import { AppError } from "@liverl/contract/app-error";
import type { ThinkingRetention } from "@liverl/contract/proxy-admin";
import type { TemplateValues } from "@liverl/contract/trajectory";
import { Tokenizer } from "tokenizers";
import { chooseFamily } from "#families/choose-family.ts";
import type { Family } from "#families/family.ts";
import { hiddenIdsOf, stopIdsOf } from "#families/turn-ids.ts";
import { plain } from "#jinja/given-text.ts";
import { ByteLevelDecoder } from "#renderer/byte-level.ts";
import { ChatTemplate } from "#renderer/chat-template.ts";
import { checkEncoding } from "#renderer/check-encoding.ts";
import { ControlTokens } from "#renderer/control-tokens.ts";
import { type ModelFolder, readModelFolder, refusal } from "#renderer/model-folder.ts";
import { type Proof, proveSuffixes } from "#renderer/prove-suffixes.ts";
import { STUB_TOOLS } from "#renderer/reference-conversations.ts";
import { Renderer, type RendererParts } from "#renderer/renderer.ts";
import { SuffixWriter } from "#renderer/suffix-writer.ts";
import { parseTools } from "#renderer/template-values.ts";
import { TextEncoder } from "#renderer/text-encoder.ts";
import { ThinkingPolicy } from "#renderer/thinking-policy.ts";

export interface LoadOptions {
  /**
   * Serve a folder whose template can not be proven: each call is rendered from its start and thought and tool calls
   * are not read. The trajectory says so by its family, `text`.
   */
  textMode?: boolean;
  thinkingRetention?: ThinkingRetention;
  /** What the template is told besides, such as `enable_thinking`: vLLM's `chat_template_kwargs`. */
  templateValues?: TemplateValues;
  /** A family's id, where the folder's own evidence is not to decide. */
  family?: string | null;
}

/** Loads a Hugging Face folder. Throws BAD_REQUEST with the reason when it can not be served exactly. */
export async function loadRenderer(
  directory: string,
  options: LoadOptions = {},
): Promise<Renderer> {
  const folder = await readModelFolder(directory);
  try {
    return await build(folder, options);
  } catch (error) {
    if (error instanceof AppError && error.code !== "BAD_REQUEST") throw error;
    const why =
      error instanceof AppError
        ? error.userMessage
        : error instanceof Error
          ? error.message
          : String(error);
    throw refusal(directory, why);
  }
}

/** Of a folder, what does not depend on the template's variables. */
interface Base {
  folder: ModelFolder;
  options: LoadOptions;
  tokenizer: Tokenizer;
  control: ControlTokens;
  encoder: TextEncoder;
  decoder: ByteLevelDecoder;
  family: Family;
}

async function build(folder: ModelFolder, options: LoadOptions): Promise<Renderer> {
  const { textMode = false, family: wanted = null } = options;
  const tokenizer = Tokenizer.fromString(folder.tokenizerText);
  refuseUnsafeTokens(folder);
  const control = new ControlTokens(folder.addedTokens);
  const encoder = await TextEncoder.load(folder.bareTokenizerText, control);
  const decoder = decoderOf(folder, tokenizer);
  const { family, refusal: unknown } = chooseFamily(folder, wanted);
  if (unknown && !textMode) throw new Error(unknown);
  return withTemplate(
    { folder, options, tokenizer, control, encoder, decoder, family },
    options.templateValues,
  );
}

/** The renderer of the folder's template with its variables set. All is checked anew: they may change what it writes. */
async function withTemplate(base: Base, values: TemplateValues | undefined): Promise<Renderer> {
  const { folder, options, tokenizer, control, encoder, decoder, family } = base;
  const { textMode = false, thinkingRetention = "all" } = options;
  const template = new ChatTemplate(folder.template, control, {
    ...folder.specialTokens,
    ...values,
  });
  await checkEncoding({ template, encoder, decoder, tokenizer, folder });
  const turnEnd = turnEndOf(folder, family, template, control);
  const suffixes = new SuffixWriter({ template, control, closes: turnEnd.closeTexts });
  const proof: Proof = textMode
    ? { drop: "never", takesLateSystem: true, readsTools: true }
    : await proveSuffixes({
        ...{ template, suffixes, encoder, tokenizer, folder },
        needsTools: family.id !== "plain" && folder.template.includes("tools"),
      });
  const parts: RendererParts = {
    template,
    encoder,
    control,
    decoder,
    turnEnd: turnEnd.ids,
    suffixes: textMode ? null : suffixes,
    suffixTools: proof.readsTools ? null : parseTools(STUB_TOOLS),
    proof,
    thinking: new ThinkingPolicy(thinkingRetention, proof.drop),
    vocabulary: {
      bytesOf: (id) => decoder.bytesOf(id),
      addedIds: control.byText,
      hiddenIds: hiddenIdsOf(family, folder.addedTokens, turnEnd.ids.stops),
    },
    family,
    tokenizerSha256: folder.tokenizerSha256,
    chatTemplateSha256: folder.chatTemplateSha256,
    templateValues: values,
    withValues: (other) => withTemplate(base, other),
  };
  return new Renderer(parts);
}

function refuseUnsafeTokens({ addedTokens }: ModelFolder): void {
  for (const { content, lstrip, rstrip, single_word } of addedTokens) {
    const shown = JSON.stringify(content);
    if (lstrip || rstrip || single_word)
      throw new Error(`added token ${shown} eats or needs white space around it`);
    if (content.trim() === "") throw new Error(`added token ${shown} is white space`);
  }
}

/** How turns end: by the family's grammar where it says so, else by what the template writes right after content. */
function turnEndOf(
  folder: ModelFolder,
  family: Family,
  template: ChatTemplate,
  control: ControlTokens,
) {
  const idOf = (text: string) => control.byText.get(text);
  const { turnEnd } = family;
  const close =
    turnEnd.opensNext.length > 0 ? null : (turnEnd.close ?? probedClose(template, control));
  const closeId = close === null ? null : (idOf(close) ?? null);
  const closes = [
    ...(closeId === null ? [] : [closeId]),
    ...turnEnd.closesToo.flatMap((text) => idOf(text) ?? []),
    ...folder.eosIds,
  ];
  const opensNext = new Set(turnEnd.opensNext.flatMap((text) => idOf(text) ?? []));
  const stops = [...closes, ...stopIdsOf(family, control.byText)];
  const textOf = new Map([...control.byText].map(([text, id]) => [id, text]));
  const closing = closes.filter((id) => !opensNext.has(id));
  return {
    closeTexts: new Set(closing.flatMap((id) => textOf.get(id) ?? [])),
    ids: { stops: [...new Set(stops)], close: closeId, closes: new Set(closing), opensNext },
  };
}

/** The control token that the template puts right after an assistant turn's content. */
function probedClose(template: ChatTemplate, control: ControlTokens): string | null {
  const content = "anchor";
  const turn = [
    { role: "user", content: "?" },
    { role: "assistant", content },
  ];
  const rendered = template.render(turn, null, false);
  const from = plain(rendered).lastIndexOf(content) + content.length;
  return control.places(rendered, from)[0]?.text ?? null;
}

function decoderOf(folder: ModelFolder, tokenizer: Tokenizer): ByteLevelDecoder {
  const { decoder } = JSON.parse(folder.tokenizerText) as { decoder?: { type?: string } | null };
  if (decoder?.type !== "ByteLevel")
    throw new Error(
      `its tokenizer decodes by ${decoder?.type ?? "nothing"}; only byte-level ones are known`,
    );
  return new ByteLevelDecoder(
    tokenizer.getVocab(false),
    new Map(folder.addedTokens.map((token) => [token.content, token.id])),
  );
}
