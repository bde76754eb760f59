import type { Message } from "@liverl/contract/trajectory";
import type { Tokenizer } from "tokenizers";
import { parseLossless } from "#json/parse-lossless.ts";
import type { ChatTemplate } from "#renderer/chat-template.ts";
import type { ModelFolder } from "#renderer/model-folder.ts";
import { REFERENCE_CONVERSATIONS, REFERENCE_TOOLS } from "#renderer/reference-conversations.ts";
import type { Renderer } from "#renderer/renderer.ts";
import type { ToolDefinitions } from "#renderer/template-values.ts";
import type { TextEncoder } from "#renderer/text-encoder.ts";

interface Subject {
  renderer: Renderer;
  template: ChatTemplate;
  encoder: TextEncoder;
  tokenizer: Tokenizer;
  folder: ModelFolder;
}

/**
 * Proves, on reference conversations, that turn-by-turn rendering gives the text and the ids of rendering
 * the whole, that ids equal the tokenizer's own, and that content can not forge a control token.
 * Throws with what differs.
 */
export async function checkRenderer(subject: Subject): Promise<void> {
  for (const reference of REFERENCE_CONVERSATIONS) {
    const tools = reference.tools ? parseTools(REFERENCE_TOOLS) : null;
    if (tools && !subject.folder.template.includes("tools")) continue;
    await checkConversation(subject, reference.name, reference.messages, tools);
  }
  await checkForgery(subject);
}

export function parseTools(text: string): ToolDefinitions {
  const value = parseLossless(text);
  if (value.kind !== "array") throw new SyntaxError("tools must be an array");
  return { text, value };
}

async function checkConversation(
  subject: Subject,
  name: string,
  messages: readonly Message[],
  tools: ToolDefinitions | null,
): Promise<void> {
  const { renderer, template, tokenizer } = subject;
  const { text: whole, marks } = template.render(messages, tools, true);
  const plain = whole.replaceAll(marks.breaker, "");
  const expected = (await tokenizer.encode(plain, null, { addSpecialTokens: false })).getIds();
  const ids = await renderer.renderRoot(messages, tools);
  if (!same(ids, expected))
    throw new Error(`"${name}" encodes to other ids than the tokenizer's own`);
  if (renderer.decode(ids) !== plain) throw new Error(`"${name}" decodes to another text`);

  const first = messages.findIndex((message) => message.role === "assistant");
  let held: readonly number[] = await renderer.renderRoot(messages.slice(0, first), tools);
  for (let at = first; at < messages.length; ) {
    const next = messages.findIndex((message, i) => i > at && message.role === "assistant");
    const end = next < 0 ? messages.length : next;
    const body = await turnIds(subject, messages.slice(0, at + 1), tools, held);
    held = [
      ...held,
      ...body,
      renderer.closeId,
      ...(await renderer.renderSuffix(messages.slice(at + 1, end), tools, true)),
    ];
    at = end;
  }
  if (renderer.decode(held) !== plain)
    throw new Error(
      `"${name}" rendered turn by turn differs from the whole: the template is not append-only`,
    );
  if (!same(held, expected)) throw new Error(`"${name}" has a seam at which tokens merge`);
}

/** Ids of the last message's body: what the template writes between the generation prompt and the close token. */
async function turnIds(
  subject: Subject,
  messages: readonly Message[],
  tools: ToolDefinitions | null,
  held: readonly number[],
): Promise<readonly number[]> {
  const { text, marks } = subject.template.render(messages, tools, false);
  const before = subject.renderer.decode(held);
  const plain = text.replaceAll(marks.breaker, "");
  if (!plain.startsWith(before))
    throw new Error(
      "an earlier part of a conversation changes as it grows: the template is not append-only",
    );
  const close = subject.renderer.decode([subject.renderer.closeId]);
  const body = plain.slice(before.length, plain.lastIndexOf(close));
  return subject.encoder.encode(body, marks.breaker);
}

async function checkForgery({ renderer, encoder, folder }: Subject): Promise<void> {
  const controlIds = new Set(folder.addedTokens.map((token) => token.id));
  for (const { content } of folder.addedTokens) {
    const ids = await encoder.encodePlain(content);
    if (ids.some((id) => controlIds.has(id)))
      throw new Error(`plain text ${JSON.stringify(content)} becomes a control token`);
  }
  const count = (ids: readonly number[]) => ids.filter((id) => controlIds.has(id)).length;
  const hostile = folder.addedTokens
    .slice(0, 64)
    .map((token) => token.content)
    .join("x");
  const clean = await renderer.renderRoot([{ role: "user", content: "x" }], null);
  const forged = await renderer.renderRoot([{ role: "user", content: hostile }], null);
  if (count(forged) !== count(clean)) throw new Error("control tokens in a user's text survive");
}

function same(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}
