import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { RECORDING_FILE } from "@liverl/contract/recording";
import { scrubSecrets } from "#harbor-files/scrub-secrets.ts";

const COLUMNS = 120;
const ROWS = 32;
/** Of one command and of all: an agent that prints for ever fills no disk. */
const MAX_COMMAND_BYTES = 256 * 1024;
const MAX_BYTES = 2 * 1024 * 1024;

/**
 * What an agent's commands printed and when, as asciicast v2 (https://docs.asciinema.org/manual/asciicast/v2/): written
 * as it comes, so that it may be read while the agent works. A command is shown after a `$`, as a terminal would show it.
 * A full disk ends the recording and nothing else.
 */
export class TerminalRecording {
  readonly #root: string;
  readonly #secrets: readonly string[];
  readonly #began = performance.now();
  #file: number | null = null;
  #bytes = 0;

  /** `root`: folder of the trial. `secrets`: what no file may hold. */
  constructor(root: string, secrets: readonly string[]) {
    this.#root = root;
    this.#secrets = secrets;
    try {
      mkdirSync(join(root, "agent"), { recursive: true });
      this.#file = openSync(join(root, RECORDING_FILE), "w");
    } catch {
      return;
    }
    this.#write({
      version: 2,
      width: COLUMNS,
      height: ROWS,
      timestamp: Math.floor(Date.now() / 1_000),
      env: { SHELL: "/bin/bash", TERM: "xterm-256color" },
    });
  }

  /** Shows a command; what comes of it is given to the answer's `output`, its end to `end`. */
  begin(command: string): {
    output: (chunk: Buffer) => void;
    end: (ending: string | null) => void;
  } {
    this.#event("m", command.split("\n", 1)[0] ?? "");
    this.#event("o", `\u001b[1;34m$\u001b[0m ${command}\n`);
    const decoder = new StringDecoder("utf8");
    let left = MAX_COMMAND_BYTES;
    let isAtStart = true;
    const show = (text: string) => {
      if (text === "") return;
      isAtStart = text.endsWith("\n");
      this.#event("o", text);
    };
    return {
      output: (chunk) => {
        if (left <= 0) return;
        const fits = chunk.subarray(0, left);
        left -= fits.length;
        show(decoder.write(fits));
        if (left <= 0) show("\n[more of this command is not recorded]\n");
      },
      end: (ending) => {
        show(decoder.end());
        const newline = isAtStart ? "" : "\n";
        this.#event("o", ending === null ? newline : `${newline}\u001b[2m${ending}\u001b[0m\n`);
      },
    };
  }

  /** Keeps the recording while `work` fills its folder with what the agent left: a file of that name would be the agent's. */
  async keepDuring<T>(work: () => Promise<T>): Promise<T> {
    const path = join(this.#root, RECORDING_FILE);
    const aside = join(this.#root, "recording.cast.kept");
    this.close();
    const isThere = await rename(path, aside).then(
      () => true,
      () => false,
    );
    try {
      return await work();
    } finally {
      if (isThere) {
        await rm(path, { recursive: true, force: true });
        await rename(aside, path);
      }
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #event(code: "o" | "m", text: string): void {
    if (text === "") return;
    const seconds = Math.round(performance.now() - this.#began) / 1_000;
    const scrubbed = scrubSecrets(text, this.#secrets);
    // What a command writes to a pipe has no carriage returns, and a terminal needs them.
    const data = code === "o" ? scrubbed.replace(/\r?\n/g, "\r\n") : scrubbed;
    this.#write([seconds, code, data]);
    if (this.#bytes < MAX_BYTES) return;
    this.#write([seconds, "o", "\r\n[the recording ends here: it is full]\r\n"]);
    this.close();
  }

  #write(line: unknown): void {
    if (this.#file === null) return;
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      writeSync(this.#file, bytes);
      this.#bytes += bytes.length;
    } catch {
      this.close();
    }
  }
}
