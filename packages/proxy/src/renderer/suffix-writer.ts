import type { Message } from "@liverl/contract/trajectory";
import { plain, sliceText, type Text } from "#jinja/given-text.ts";
import type { ChatTemplate } from "#renderer/chat-template.ts";
import { chooseAnchor } from "#renderer/choose-anchor.ts";
import type { ControlPlace, ControlTokens } from "#renderer/control-tokens.ts";
import type { ToolDefinitions } from "#renderer/template-values.ts";
import { sentToolCalls } from "#tree/canonical-message.ts";

/** What a template writes behind an assistant turn. */
export interface Suffix {
  /** From the turn's close on, the new messages and the generation prompt. */
  text: Text;
  /** The control token that it begins with. */
  lead: ControlPlace;
  /** What the template writes from the turn's close on where the turn is the last. */
  lastTail: string;
}

interface Parts {
  template: ChatTemplate;
  control: ControlTokens;
  /** Texts of the tokens that may close a turn; empty where nothing closes it but the opening of the next one. */
  closes: ReadonlySet<string>;
}

/**
 * Renders what follows a held assistant turn without what stands before it: a short conversation with a stand-in for
 * the turn is rendered with and without the new messages, and the difference is what they add. That this equals what
 * the template writes in a whole conversation is proven at start-up, for the reference conversations.
 */
export class SuffixWriter {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Null where the template does not begin what it adds with a control token. Throws BAD_REQUEST as it refuses. */
  write(held: Message, messages: readonly Message[], tools: ToolDefinitions | null): Suffix | null {
    const anchor = chooseAnchor([held, messages]);
    for (const standIn of standInsFor(held, messages, anchor)) {
      const before = [{ role: "user", content: "?" }, standIn];
      const alone = afterAnchor(this.#parts.template.render(before, tools, false), anchor);
      const grown = afterAnchor(
        this.#parts.template.render([...before, ...messages], tools, true),
        anchor,
      );
      if (alone !== null && grown !== null) return this.#difference(alone, grown);
    }
    return null;
  }

  #difference(alone: Text, grown: Text): Suffix | null {
    const { control, closes } = this.#parts;
    const [whole, after] = [plain(alone), plain(grown)];
    const isClose = ({ text }: ControlPlace) => closes.has(text);
    const end = control.places(alone).find(isClose)?.start ?? whole.length;
    const lead =
      end < whole.length
        ? control.places(grown).find(isClose)
        : control.places(grown).find(({ start }) => start === end);
    // The turn itself must be written alike, or its place in the conversation changes it.
    if (!lead || after.slice(0, lead.start) !== whole.slice(0, end)) return null;
    return { text: sliceText(grown, lead.start, after.length), lead, lastTail: whole.slice(end) };
  }
}

function afterAnchor(text: Text, anchor: string): Text | null {
  const at = plain(text).lastIndexOf(anchor);
  return at < 0 ? null : sliceText(text, at + anchor.length, plain(text).length);
}

/** Turns that may stand in for the held one. With results to follow it has its calls, and the anchor in their arguments: a template may print only some. */
function standInsFor(held: Message, messages: readonly Message[], anchor: string): Message[] {
  const said = { role: "assistant", content: anchor };
  if (messages[0]?.role !== "tool") return [said];
  const calls = sentToolCalls(held).map(({ id, function: { name } }) => ({ id, name }));
  const named = calls.length > 0 ? calls : [{ id: String(messages[0].tool_call_id), name: "tool" }];
  const callsWith = (given: string) =>
    named.map(({ id, name }) => ({ id, type: "function", function: { name, arguments: given } }));
  return [
    { role: "assistant", content: "", tool_calls: callsWith(JSON.stringify({ anchor })) },
    { ...said, tool_calls: callsWith("{}") },
  ];
}
