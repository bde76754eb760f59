/** Reward managers print `[prompt]`, `[response]`, `[ground_truth]`, then each part of the score. */
const OPENS = /^\[(?:prompt|response|request|solution|completion|model_answer)\]/;
const ENDS = /^\[(?:score|reward|acc|accuracy)\]/;
const KEY = /^\[[a-z_@0-9/]{2,40}\] /;
const FENCE = /^\s*(?:```|~~~)/;
const TAGS = [
  "tool_response",
  "tool_call",
  "observation",
  "output",
  "think",
  "returncode",
] as const;
/** Longer text is not treated as printed output: its end was lost. */
const LONGEST_LINES = 20_000;
const LONGEST_TAGGED = 2_000;
/** A line that only the trainer itself prints. */
const OWN = /^(?:Error executing job with overrides|step:\d+ - )/;

type Block = {
  kind: "sample" | "fence" | "tag";
  /** What ends it, for a tag. */
  close: string;
  stream: string;
  start: number;
  lines: number;
  hasTruth: boolean;
};

/** Tells what a model or a tool wrote, printed into the log, from what the trainer says itself. */
export class PrintedText {
  readonly #blocks = new Map<string, Block>();
  /** Where the last sample of a stream began, after its score. */
  readonly #closed = new Map<string, number>();
  #lastStream: string | null = null;

  get isOpen(): boolean {
    return this.#blocks.size > 0;
  }

  /**
   * Whether the line is printed text. `takeBack`: a sample turned out to be longer than it seemed, so what was read of
   * this stream since that offset is printed text, too.
   */
  read(
    stream: string,
    text: string,
    offset: number,
  ): { isPrinted: boolean; takeBack: number | null } {
    const home = this.#homeOf(stream);
    const block = this.#blocks.get(home);
    this.#lastStream = null;
    if (block === undefined) return this.#readOutside(stream, text, offset);
    block.lines += 1;
    const most = block.kind === "sample" ? LONGEST_LINES : LONGEST_TAGGED;
    if (OWN.test(text) || block.lines > most) {
      this.#blocks.delete(home);
      return { isPrinted: false, takeBack: null };
    }
    if (this.#ends(block, text)) {
      this.#blocks.delete(home);
      if (block.kind === "sample") this.#closed.set(home, block.start);
    } else this.#lastStream = home;
    return { isPrinted: true, takeBack: null };
  }

  #readOutside(stream: string, text: string, offset: number) {
    const open = (kind: Block["kind"], close: string, start = offset) => {
      this.#blocks.set(stream, { kind, close, stream, start, lines: 0, hasTruth: false });
      this.#lastStream = stream;
      return { isPrinted: true, takeBack: null };
    };
    if (OPENS.test(text)) return open("sample", "");
    if (text.startsWith("[ground_truth]")) {
      // The response contained a line like `[score]`: the sample is not over yet.
      const start = this.#closed.get(stream) ?? offset;
      open("sample", "", start);
      const block = this.#blocks.get(stream);
      if (block) block.hasTruth = true;
      return { isPrinted: true, takeBack: start };
    }
    if (FENCE.test(text)) return open("fence", "");
    if (text.startsWith("│") || text.startsWith("┃")) return { isPrinted: true, takeBack: null };
    const close = text.includes("<") ? unclosedTag(text) : null;
    if (close !== null) return open("tag", close);
    return { isPrinted: false, takeBack: null };
  }

  #ends(block: Block, text: string): boolean {
    if (block.kind === "fence") return FENCE.test(text);
    if (block.kind === "tag") return text.includes(block.close);
    if (text.startsWith("[ground_truth]")) block.hasTruth = true;
    else if (ENDS.test(text) || (block.hasTruth && KEY.test(text))) return true;
    return false;
  }

  /** A text of several lines may have the prefix on its first one only. */
  #homeOf(stream: string): string {
    if (stream === "" && !this.#blocks.has("") && this.#lastStream !== null)
      return this.#lastStream;
    return stream;
  }
}

/** What closes the tag that a line opens and does not close. */
function unclosedTag(text: string): string | null {
  const turn = text.lastIndexOf("<|im_start|>");
  if (turn !== -1 && !text.includes("<|im_end|>", turn)) return "<|im_end|>";
  const tag = TAGS.find((name) => text.includes(`<${name}>`) && !text.includes(`</${name}>`));
  return tag === undefined ? null : `</${tag}>`;
}
