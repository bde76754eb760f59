import type { ParsedTurn, TurnDelta, TurnParser, TurnStart } from "#families/family.ts";
import { JsonStrings } from "#families/json-strings.ts";
import { opensReasoning } from "#families/opens-reasoning.ts";
import { SpelledMarks } from "#families/spelled-marks.ts";
import { type ToolSchemas, toolSchemas } from "#families/tool-schemas.ts";
import { type Piece, TurnPieces } from "#families/turn-pieces.ts";
import { type ReadCall, TurnRecord } from "#families/turn-record.ts";

interface Pair {
  open: string;
  close: string;
}

/** A grammar in which thought and calls stand between an opening and a closing mark. */
export interface TagGrammar {
  think: (Pair & { /** A call inside the thought ends it. */ endsAtCall: boolean }) | null;
  /** Around all calls. */
  section: Pair | null;
  call: Pair;
  /** A call outside of a section counts, too. */
  takesBareCalls: boolean;
  /** Marks of calls count although they are spelled out where the tokenizer has a token for them. */
  takesSpelled: boolean;
  /** Calls are JSON, so that a closing mark inside of a string is a part of it. */
  isJson: boolean;
  /**
   * What becomes of a call without its closing mark where the model ended the turn: `call` delivers it if its name is certain,
   * `sound-call` if nothing else is wrong with it, `text` never. As vLLM's parser of the grammar does.
   */
  unclosed: "call" | "sound-call" | "text";
  /** Whether the section's closing mark ends an open call with this body, too: it may stand inside of a value. */
  isComplete?: (body: string) => boolean;
  /** What stands between a call's marks; null when it is no call. */
  readCall(body: string, schemas: ToolSchemas): ReadCall | null;
}

type State = "reasoning" | "content" | "section" | "call";

/** A call that has begun. */
interface OpenCall {
  body: string;
  strings: JsonStrings | null;
  /** At the first closing mark inside of a string: the body to there, and what came after it. */
  firstClose: { body: string; after: Piece[] } | null;
}

/** All marks of a grammar. */
export function marksOf({ think, section, call }: TagGrammar): string[] {
  return [think, section, call].flatMap((pair) => (pair ? [pair.open, pair.close] : []));
}

/** Reads turns of a {@link TagGrammar}. */
export class TagParser implements TurnParser {
  readonly #grammar: TagGrammar;
  readonly #pieces: TurnPieces;
  readonly #schemas: ToolSchemas;
  readonly #record = new TurnRecord();
  readonly #spelled = new SpelledMarks();
  readonly #marks: Readonly<Record<State, { all: ReadonlySet<string>; spelled: string[] }>>;
  #state: State = "content";
  #call: OpenCall | null = null;
  /** The open section: what was raw of it as long as it had no call, and text between its calls. */
  #section: { hasCalls: boolean; stray: string } | null = null;

  constructor(grammar: TagGrammar, { tools, promptIds, vocabulary, visibleLength }: TurnStart) {
    this.#grammar = grammar;
    this.#schemas = toolSchemas(tools);
    this.#pieces = new TurnPieces(vocabulary, marksOf(grammar), visibleLength);
    this.#marks = stateMarks(grammar, tools !== null, vocabulary.addedIds);
    if (grammar.think && opensReasoning(grammar.think, promptIds, vocabulary)) {
      this.#record.beginReasoning();
      this.#state = "reasoning";
    }
  }

  push(ids: readonly number[]): TurnDelta[] {
    for (const piece of this.#pieces.push(ids)) this.#take(piece);
    return this.#record.takeDeltas();
  }

  end(isEnded = false): ParsedTurn {
    for (const piece of this.#pieces.end()) this.#take(piece);
    this.#onText(this.#spelled.flush());
    while (this.#call?.firstClose) {
      this.#closeAtFirst(this.#call.firstClose);
      this.#onText(this.#spelled.flush());
    }
    if (isEnded && this.#call) this.#endUnclosed(this.#call);
    const isUnclosed = this.#state !== "content";
    if (this.#call) this.#record.addContent(this.#rawStart() + this.#call.body);
    else if (this.#section) this.#record.addContent(this.#sectionRaw());
    return this.#record.finish(isUnclosed);
  }

  #take(piece: Piece): void {
    this.#call?.firstClose?.after.push(piece);
    if ("mark" in piece) {
      this.#onText(this.#spelled.flush());
      this.#onMark(piece.mark);
      return;
    }
    this.#spelled.push(piece.text);
    for (;;) {
      const part = this.#spelled.next(this.#marks[this.#state].spelled);
      if (!part) return;
      this.#onText(part.text);
      if (part.mark !== null) this.#onMark(part.mark);
    }
  }

  #onText(text: string): void {
    if (text === "") return;
    if (this.#state === "reasoning") this.#record.addReasoning(text);
    else if (this.#state === "content") this.#record.addContent(text);
    else if (this.#call) addToCall(this.#call, text);
    else if (this.#section) this.#section.stray += text;
  }

  #onMark(mark: string): void {
    const { think, section, call } = this.#grammar;
    if (!this.#marks[this.#state].all.has(mark)) this.#onText(mark);
    else if (this.#call && mark !== call.close) this.#onSectionMark(this.#call, mark);
    else if (mark === think?.open) this.#openReasoning();
    else if (mark === think?.close) this.#closeReasoning();
    else if (mark === section?.open) this.#openSection();
    else if (mark === section?.close) this.#closeSection(mark);
    else if (mark === call.open) this.#openCall();
    else this.#closeCall();
  }

  #openReasoning(): void {
    if (this.#state === "reasoning") return;
    this.#record.beginReasoning();
    this.#state = "reasoning";
  }

  /** A second closing mark is dropped, as vLLM's parsers do. */
  #closeReasoning(): void {
    this.#record.endReasoning();
    this.#state = "content";
  }

  #openSection(): void {
    if (this.#state === "reasoning") this.#record.endReasoning();
    if (this.#section) this.#closeSection("");
    this.#section = { hasCalls: false, stray: "" };
    this.#state = "section";
  }

  /** `mark`: what closes it; empty where another section opens instead. */
  #closeSection(mark: string): void {
    const raw = this.#sectionRaw() + (this.#section?.hasCalls ? "" : mark);
    if (raw !== "" || mark === "") this.#record.addMalformed(raw);
    this.#section = null;
    this.#state = "content";
  }

  #openCall(): void {
    if (this.#state === "reasoning") this.#record.endReasoning();
    const strings = this.#grammar.isJson ? new JsonStrings() : null;
    this.#call = { body: "", strings, firstClose: null };
    this.#state = "call";
  }

  #closeCall(): void {
    const call = this.#call;
    if (!call) return;
    if (call.strings?.isInside) {
      call.firstClose ??= { body: call.body, after: [{ text: this.#spelled.held }] };
      addToCall(call, this.#grammar.call.close);
      return;
    }
    const read = this.#grammar.readCall(call.body, this.#schemas);
    if (call.firstClose && !read?.isSound) this.#closeAtFirst(call.firstClose);
    else this.#endCall(call.body, read);
  }

  /** A mark of the section inside a call that has no closing mark yet. */
  #onSectionMark(call: OpenCall, mark: string): void {
    const { section, isComplete } = this.#grammar;
    const body = this.#bodyOf(call);
    const isNext = mark === section?.open && body !== call.body;
    const isOver = mark === section?.close && isComplete?.(call.body);
    const read = isNext || isOver ? this.#grammar.readCall(body, this.#schemas) : null;
    if (!read || !this.#section) {
      this.#onText(mark);
      return;
    }
    this.#endCall(body, { ...read, isSound: false });
    if (isNext) this.#openSection();
    else this.#closeSection(mark);
  }

  /** The turn is over, and the call lacks its closing mark. */
  #endUnclosed(call: OpenCall): void {
    const { unclosed } = this.#grammar;
    const body = this.#bodyOf(call);
    const read = unclosed === "text" ? null : this.#grammar.readCall(body, this.#schemas);
    if (!read || (unclosed === "sound-call" && !read.isSound)) return;
    this.#endCall(body, { ...read, isSound: false });
    if (this.#section) this.#closeSection("");
  }

  /** The body without the section's closing mark at its end. */
  #bodyOf({ body }: OpenCall): string {
    const close = this.#grammar.section?.close;
    const trimmed = body.trimEnd();
    return close !== undefined && trimmed.endsWith(close) ? trimmed.slice(0, -close.length) : body;
  }

  /** The string was none: the call ended at the first closing mark, and what came after it is read again. */
  #closeAtFirst({ body, after }: { body: string; after: Piece[] }): void {
    this.#spelled.flush();
    this.#endCall(body, this.#grammar.readCall(body, this.#schemas));
    for (const piece of after) this.#take(piece);
  }

  #endCall(body: string, read: ReadCall | null): void {
    if (read) this.#record.addCall(read);
    else this.#record.addMalformed(this.#rawStart() + body + this.#grammar.call.close);
    if (this.#section) {
      const isTold = read === null && !this.#section.hasCalls;
      this.#section = { hasCalls: true, stray: isTold ? "" : this.#section.stray };
    }
    this.#call = null;
    this.#state = this.#section ? "section" : "content";
  }

  /** What stands before the open call's body and is no content otherwise. */
  #rawStart(): string {
    const isFirst = this.#section !== null && !this.#section.hasCalls;
    return (isFirst ? this.#sectionRaw() : "") + this.#grammar.call.open;
  }

  /** Text in the section that belongs to no call; with the opening mark as long as there was no call. */
  #sectionRaw(): string {
    const { hasCalls = true, stray = "" } = this.#section ?? {};
    if (!hasCalls) return (this.#grammar.section?.open ?? "") + stray;
    return stray.trim();
  }
}

function addToCall(call: OpenCall, text: string): void {
  call.body += text;
  call.strings?.push(text);
}

/** Which marks mean something in a state, and which of them are looked for in text. */
function stateMarks(
  { think, section, call, takesBareCalls, takesSpelled, isComplete }: TagGrammar,
  hasTools: boolean,
  addedIds: ReadonlyMap<string, number>,
) {
  const thinkMarks = think ? [think.open, think.close] : [];
  const opens = section ? [section.open, ...(takesBareCalls ? [call.open] : [])] : [call.open];
  const callOpens = hasTools ? opens : [];
  const [firstOpen] = callOpens;
  const ofState = (marks: string[]) => ({
    all: new Set(marks),
    spelled: marks.filter(
      (mark) => !addedIds.has(mark) || (takesSpelled && !thinkMarks.includes(mark)),
    ),
  });
  return {
    content: ofState([...thinkMarks, ...callOpens]),
    reasoning: ofState([...thinkMarks, ...(think?.endsAtCall && firstOpen ? [firstOpen] : [])]),
    section: ofState(section ? [section.open, section.close, call.open] : []),
    call: ofState([call.close, ...(section && isComplete ? [section.open, section.close] : [])]),
  };
}
