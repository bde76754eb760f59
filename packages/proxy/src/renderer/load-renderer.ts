import { AppError } from "@liverl/contract/app-error";
import { Tokenizer } from "tokenizers";
import { chooseFamily } from "#families/choose-family.ts";
import { hiddenIdsOf, stopIdsOf } from "#families/turn-ids.ts";
import { ByteLevelDecoder } from "#renderer/byte-level.ts";
import { ChatTemplate } from "#renderer/chat-template.ts";
import { ControlTokens } from "#renderer/control-tokens.ts";
import { type ModelFolder, readModelFolder, refusal } from "#renderer/model-folder.ts";
import { Renderer } from "#renderer/renderer.ts";
import { checkRenderer } from "#renderer/self-check.ts";
import { TextEncoder } from "#renderer/text-encoder.ts";

/** Loads a Hugging Face folder. Throws BAD_REQUEST with the reason when it can not be served exactly. */
export async function loadRenderer(directory: string): Promise<Renderer> {
  const folder = await readModelFolder(directory);
  try {
    const tokenizer = Tokenizer.fromString(folder.tokenizerText);
    refuseUnsafeTokens(folder);
    const control = new ControlTokens(folder.addedTokens);
    const template = new ChatTemplate(folder.template, control, {
      bos_token: folder.bosToken,
      eos_token: folder.eosToken,
    });
    const encoder = await TextEncoder.load(folder.bareTokenizerText, control);
    const close = closeOf(template, control);
    const { family, refusal: unknown } = chooseFamily(folder);
    if (unknown) throw new Error(unknown);
    const stopIds = [close.id, ...folder.eosIds, ...stopIdsOf(family, control.byText)];
    const decoder = decoderOf(folder, tokenizer);
    const renderer = new Renderer({
      template,
      encoder,
      decoder,
      close,
      stopIds: [...new Set(stopIds)],
      vocabulary: {
        bytesOf: (id) => decoder.bytesOf(id),
        addedIds: control.byText,
        hiddenIds: hiddenIdsOf(family, folder.addedTokens, stopIds),
      },
      family,
      tokenizerSha256: folder.tokenizerSha256,
      chatTemplateSha256: folder.chatTemplateSha256,
    });
    await checkRenderer({ renderer, template, encoder, tokenizer, folder });
    return renderer;
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

function refuseUnsafeTokens({ addedTokens }: ModelFolder): void {
  for (const { content, lstrip, rstrip, single_word } of addedTokens) {
    const shown = JSON.stringify(content);
    if (lstrip || rstrip || single_word)
      throw new Error(`added token ${shown} eats or needs white space around it`);
    if ([...content].length < 2)
      throw new Error(`added token ${shown} is a single character, so content can not avoid it`);
    if (content.trim() === "") throw new Error(`added token ${shown} is white space`);
  }
}

/** The control token that the template puts right after an assistant turn's content. */
function closeOf(template: ChatTemplate, control: ControlTokens): { id: number; text: string } {
  const { text, marks } = template.render(
    [
      { role: "user", content: "?" },
      { role: "assistant", content: "anchor" },
    ],
    null,
    false,
  );
  const after = text
    .slice(text.lastIndexOf("anchor") + "anchor".length)
    .replaceAll(marks.breaker, "");
  const [first] = control.split(after);
  const found = [...control.byText].find(([, id]) => id === first);
  if (!found) throw new Error("its template does not close an assistant turn with a control token");
  return { text: found[0], id: found[1] };
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
