import type { FileHandle } from "node:fs/promises";
import type { TimedLine } from "#kube/timed-lines.ts";

const TAIL_BYTES = 4096;
/** What another pod may print before the log that both show. */
const SLACK_BYTES = 256 * 1024;

/**
 * A second submitter prints the job's log from its start again (`ray job logs --follow`). Holds its lines back until they
 * have reached what the file ends with; where they never do, they are all new.
 */
export class LogReplay {
  readonly #tail: Buffer;
  readonly #most: number;
  #held: TimedLine[] = [];
  #bytes = 0;
  #end = Buffer.alloc(0);
  isOver = false;

  constructor(tail: Buffer, written: number) {
    this.#tail = tail;
    this.#most = written + SLACK_BYTES;
    this.isOver = tail.length === 0;
  }

  static async after(file: FileHandle, written: number): Promise<LogReplay> {
    const length = Math.min(written, TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(
      ...([Buffer.alloc(length), 0, length, written - length] as const),
    );
    return new LogReplay(buffer.subarray(0, bytesRead), written);
  }

  /** The lines that are new now. */
  take(line: TimedLine): TimedLine[] {
    if (this.isOver) return [line];
    this.#held.push(line);
    this.#bytes += line.content.length;
    this.#end = Buffer.concat([this.#end, line.content]).subarray(-this.#tail.length);
    if (this.#end.equals(this.#tail)) {
      this.isOver = true;
      // They are counted by who reads on, but their bytes stand in the file.
      const known = this.#held.map(({ stamp }) => ({ stamp, content: Buffer.alloc(0) }));
      this.#held = [];
      return known;
    }
    return this.#bytes > this.#most ? this.giveUp() : [];
  }

  giveUp(): TimedLine[] {
    this.isOver = true;
    const held = this.#held;
    this.#held = [];
    return held;
  }
}
