const NEWLINE = 0x0a;
/** The kubelet's prefix: RFC 3339 with nine digits, so that the order of the texts is that of the times. */
const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{9}(?:Z|[+-]\d\d:\d\d) /;
const LONGEST_STAMP = 40;

/** A line of a pod's log: its bytes as the container wrote them, with their end. */
export interface TimedLine {
  /** Null for the rest of a line that began before what was asked for. */
  stamp: string | null;
  content: Buffer;
}

/** Cuts a stream of `timestamps=true` into lines. What has no end yet waits in `rest`. */
export class TimedLines {
  #parts: Buffer[] = [];

  push(chunk: Buffer): TimedLine[] {
    const lines: TimedLine[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      lines.push(parse(Buffer.concat([...this.#parts, chunk.subarray(from, end + 1)])));
      this.#parts = [];
      from = end + 1;
    }
    if (from < chunk.length) this.#parts.push(chunk.subarray(from));
    return lines;
  }

  /** What a container printed last, without an end of its own; null where there is none. */
  rest(): TimedLine | null {
    const whole = Buffer.concat(this.#parts);
    this.#parts = [];
    return whole.length === 0 ? null : parse(whole);
  }
}

function parse(line: Buffer): TimedLine {
  const stamp = STAMP.exec(line.toString("latin1", 0, LONGEST_STAMP))?.[0] ?? null;
  return stamp === null
    ? { stamp, content: line }
    : { stamp: stamp.trimEnd(), content: line.subarray(stamp.length) };
}

/** The whole second of a stamp, as `sinceTime` takes it. */
export function secondOf(stamp: string): string {
  return `${stamp.slice(0, 19)}Z`;
}
