import { AppError } from "@liverl/contract/app-error";
import type { Message } from "@liverl/contract/trajectory";
import type { Tokenizer } from "tokenizers";
import { plain } from "#jinja/given-text.ts";
import type { ChatTemplate } from "#renderer/chat-template.ts";
import { foldSystem } from "#renderer/fold-system.ts";
import type { ModelFolder } from "#renderer/model-folder.ts";
import {
  LATE_SYSTEM,
  REFERENCE_CONVERSATIONS,
  REFERENCE_TOOLS,
  type ReferenceConversation,
  STUB_TOOLS,
} from "#renderer/reference-conversations.ts";
import type { Suffix, SuffixWriter } from "#renderer/suffix-writer.ts";
import { parseTools, type ToolDefinitions } from "#renderer/template-values.ts";
import type { TextEncoder } from "#renderer/text-encoder.ts";
import type { ThoughtDrop } from "#renderer/thinking-policy.ts";
import { withoutThoughtText } from "#renderer/without-thought-text.ts";

interface Subject {
  template: ChatTemplate;
  suffixes: SuffixWriter;
  encoder: TextEncoder;
  tokenizer: Tokenizer;
  folder: ModelFolder;
  /** Whether the model is there to call tools, so that a template that refuses all calls is of no use. */
  needsTools: boolean;
}

/** What was seen on the way. */
export interface Proof {
  /** When the template drops earlier thought. */
  drop: ThoughtDrop;
  takesLateSystem: boolean;
  /** Whether tool definitions change what is written behind a held turn. */
  readsTools: boolean;
}

/**
 * Proves, on reference conversations, that a held path followed by suffixes is what the template writes of the whole,
 * token for token from each seam on. Where the template drops earlier thought, the held path keeps it and is otherwise
 * the same. A conversation that the template refuses proves nothing and is passed over: it refuses it from a client,
 * too. Throws with what differs.
 */
export async function proveSuffixes(subject: Subject): Promise<Proof> {
  const takesLateSystem = probeLateSystem(subject);
  const proven: { reference: ReferenceConversation; exact: boolean }[] = [];
  let refused: AppError | null = null;
  for (const reference of REFERENCE_CONVERSATIONS) {
    if (reference.tools && !subject.folder.template.includes("tools")) continue;
    const messages = takesLateSystem ? reference.messages : foldSystem(reference.messages, true);
    try {
      const exact = await proveConversation(subject, { ...reference, messages });
      proven.push({ reference, exact });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused ??= error;
    }
  }
  const isEnough = proven.some(({ reference }) => reference.tools || !subject.needsTools);
  if (refused && !isEnough) throw refused;
  const changed = proven.flatMap(({ reference, exact }) => (exact ? [] : [reference.thought]));
  return { drop: dropOf(changed), takesLateSystem, readsTools: probeTools(subject) };
}

function dropOf(changed: readonly ReferenceConversation["thought"][]): ThoughtDrop {
  if (changed.includes("in-tool-cycle")) return "every-turn";
  return changed.includes("over-user-turns") ? "user-turn" : "never";
}

/** Whether the whole is written exactly as it was held, thought included. */
async function proveConversation(
  subject: Subject,
  { name, messages, tools }: ReferenceConversation,
): Promise<boolean> {
  const { template, suffixes } = subject;
  const definitions = tools ? parseTools(REFERENCE_TOOLS) : null;
  const render = (end: number, prompt: boolean) =>
    plain(template.render(messages.slice(0, end), definitions, prompt));
  let held: string | null = null;
  let exact = true;
  for (const { at, end } of turnsOf(messages)) {
    const prompt = render(at, true);
    held ??= prompt;
    const turn = messages[at] ?? { role: "assistant" };
    const suffix = suffixes.write(turn, messages.slice(at + 1, end), definitions);
    if (!suffix)
      throw new Error(
        `in "${name}" nothing but text closes an assistant turn, or the turn changes its form as the conversation grows`,
      );
    const whole = render(end, true);
    if (!whole.endsWith(plain(suffix.text)))
      throw new Error(
        `in "${name}" what follows an assistant turn depends on all before it: the template is not append-only`,
      );
    await checkSeam(subject, name, suffix.text);
    const before = whole.slice(0, whole.length - plain(suffix.text).length);
    const grown = render(at + 1, false);
    exact &&= grown.startsWith(prompt);
    held = grown.startsWith(prompt)
      ? held + grown.slice(prompt.length, grown.length - suffix.lastTail.length)
      : withoutThoughtText(held) + bodyWithoutThought(name, grown, prompt, suffix);
    if (held !== before) {
      exact = false;
      if (withoutThoughtText(held) !== withoutThoughtText(before)) throw notAppendOnly(name);
    }
    held += plain(suffix.text);
  }
  return exact;
}

/** Each assistant turn that something follows, and where the next one begins. */
function turnsOf(messages: readonly Message[]): { at: number; end: number }[] {
  const places = messages.flatMap(({ role }, i) => (role === "assistant" ? [i] : []));
  return places.map((at, i) => ({ at, end: places[i + 1] ?? messages.length }));
}

/**
 * What the template writes as an assistant's turn where it is not what was to be sampled after `prompt`: the prompt began
 * a thought that the template drops from the turn at once, or the turn makes it drop thought before.
 */
function bodyWithoutThought(name: string, grown: string, prompt: string, suffix: Suffix): string {
  const [turn, before] = [grown, prompt].map(withoutThoughtText);
  if (turn === undefined || before === undefined || !turn.startsWith(before))
    throw notAppendOnly(name);
  return turn.slice(before.length, turn.length - suffix.lastTail.length);
}

const notAppendOnly = (name: string) =>
  new Error(
    `in "${name}" an earlier part changes as the conversation grows: the template is not append-only`,
  );

/** The seam is a control token, which nothing merges with: what follows it has the same ids as in the whole. */
async function checkSeam(
  { encoder, tokenizer }: Subject,
  name: string,
  suffix: Parameters<TextEncoder["encode"]>[0],
): Promise<void> {
  const ids = await encoder.encode(suffix);
  const expected = await tokenizer.encode(plain(suffix), null, { addSpecialTokens: false });
  if (ids.join() !== expected.getIds().join())
    throw new Error(
      `in "${name}" what follows a turn encodes to other ids than the tokenizer's own`,
    );
}

/** Whether a later system message is written in its place. */
function probeLateSystem({ template }: Subject): boolean {
  try {
    const text = plain(template.render(LATE_SYSTEM, null, true));
    const places = LATE_SYSTEM.map(({ content }) => text.indexOf(String(content)));
    return places.every((place, i) => place >= 0 && place > (places[i - 1] ?? -1));
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** Whether a suffix is written otherwise with all the reference's tools than with the smallest one. */
function probeTools({ suffixes }: Subject): boolean {
  const [many, one] = [REFERENCE_TOOLS, STUB_TOOLS].map(parseTools);
  return REFERENCE_CONVERSATIONS.filter(({ tools }) => tools).some(({ messages }) =>
    turnsOf(messages).some(({ at, end }) => {
      const write = (tools: ToolDefinitions | undefined) => {
        const turn = messages[at] ?? { role: "assistant" };
        const suffix = suffixes.write(turn, messages.slice(at + 1, end), tools ?? null);
        return suffix && plain(suffix.text);
      };
      try {
        return write(many) !== write(one);
      } catch (error) {
        if (error instanceof AppError) return false;
        throw error;
      }
    }),
  );
}
