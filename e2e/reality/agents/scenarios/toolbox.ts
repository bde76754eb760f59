import type { Random } from "@liverl/contract/random";
import type { Prompt } from "#reality/agents/engine/prompt.ts";
import type { Piece } from "#reality/agents/engine/sample-text.ts";
import { oddJson } from "#reality/agents/scenarios/odd-json.ts";
import { call } from "#reality/agents/scenarios/turn.ts";

const SHELLS = ["Bash", "bash", "exec_command", "shell_command"];
const READERS = ["Read", "read"];
const WRITERS = ["Write", "write"];
const EDITORS = ["Edit", "edit"];
const COMMAND = ["command", "cmd"];
const PATH = ["file_path", "filePath", "path"];
const OLD = ["old_string", "oldString"];
const NEW = ["new_string", "newString"];

/** Calls in the words of whatever tools the client put into its prompt. What a client lacks is done by its shell. */
export class Toolbox {
  readonly #prompt: Prompt;
  readonly #random: Random;

  constructor(prompt: Prompt, random: Random) {
    this.#prompt = prompt;
    this.#random = random;
  }

  shell(command: string, { timeout }: { timeout?: number } = {}): Piece[] {
    const tool = this.#find(SHELLS);
    if (!tool) throw new Error(`the client has no shell among ${this.#names()}`);
    return this.call(tool.name, {
      [tool.parameter(COMMAND)]: command,
      ...(tool.has("description") && { description: "Looks — and writes" }),
      ...(timeout !== undefined && tool.has("timeout") && { timeout }),
    });
  }

  read(path: string): Piece[] {
    const tool = this.#find(READERS);
    return tool
      ? this.call(tool.name, { [tool.parameter(PATH)]: path })
      : this.shell(`cat ${path}`);
  }

  write(path: string, content: string): Piece[] {
    const tool = this.#find(WRITERS);
    return tool
      ? this.call(tool.name, { [tool.parameter(PATH)]: path, content })
      : this.shell(`cat > ${path} <<'END_OF_FILE'\n${content}\nEND_OF_FILE`);
  }

  /** `before` and `after` are plain words. */
  edit(path: string, before: string, after: string): Piece[] {
    const tool = this.#find(EDITORS);
    return tool
      ? this.call(tool.name, {
          [tool.parameter(PATH)]: path,
          [tool.parameter(OLD)]: before,
          [tool.parameter(NEW)]: after,
        })
      : this.shell(`sed -i 's/${before}/${after}/' ${path}`);
  }

  /** Every parameter left out. */
  shellWithoutCommand(): Piece[] {
    return this.call(this.#find(SHELLS)?.name ?? "", {});
  }

  call(name: string, given: Record<string, unknown>): Piece[] {
    return call(name, oddJson(given, this.#random));
  }

  #names(): string {
    return [...this.#prompt.tools.keys()].join(", ") || "no tools";
  }

  #find(names: readonly string[]) {
    const name = names.find((candidate) => this.#prompt.tools.has(candidate));
    if (name === undefined) return null;
    const parameters = this.#prompt.tools.get(name) ?? [];
    return {
      name,
      has: (parameter: string) => parameters.includes(parameter),
      parameter: (candidates: readonly string[]) =>
        candidates.find((candidate) => parameters.includes(candidate)) ?? candidates[0] ?? "",
    };
  }
}
