import { plainText } from "#output/plain-text.ts";

/** What a command has to say: an object for programs, lines for people, and how it ends. */
export interface Result {
  answer: object;
  lines: string[];
  exit?: number;
}

/** Where that goes. With `--json` stdout is for the one object alone. */
export interface Io {
  isJson: boolean;
  /** Told while a command goes on. */
  say(line: string): void;
  /** What a command is asked for, as it comes: lines of a log. */
  show(line: string): void;
  finish(result: Result): void;
}

export function openIo(
  isJson: boolean,
  streams: { stdout: { write(text: string): unknown }; stderr: { write(text: string): unknown } },
): Io {
  const { stdout, stderr } = streams;
  const write = (stream: typeof stdout, line: string) => stream.write(`${plainText(line)}\n`);
  return {
    isJson,
    say: (line) => write(stderr, line),
    show: (line) => write(isJson ? stderr : stdout, line),
    finish: ({ answer, lines }) => {
      if (isJson) stdout.write(`${JSON.stringify(answer)}\n`);
      else for (const line of lines) write(stdout, line);
    },
  };
}
