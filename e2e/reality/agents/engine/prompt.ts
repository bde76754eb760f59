import { z } from "zod";
import type { Vocabulary } from "#reality/agents/engine/vocabulary.ts";

const ToolLine = z.looseObject({
  function: z.looseObject({
    name: z.string(),
    parameters: z
      .looseObject({ properties: z.record(z.string(), z.unknown()).optional() })
      .optional(),
  }),
});

export interface PromptTurn {
  role: string;
  text: string;
}

/** What a prompt says to a model that reads its ids: turns by the control token that opens them, and the client's tools. */
export class Prompt {
  readonly ids: readonly number[];
  readonly turns: readonly PromptTurn[];
  /** Names of parameters by tool. */
  readonly tools: ReadonlyMap<string, readonly string[]>;

  constructor(ids: readonly number[], vocabulary: Vocabulary) {
    this.ids = ids;
    const start = vocabulary.controlId("<|im_start|>");
    const starts = ids.flatMap((id, at) => (id === start ? [at] : []));
    this.turns = starts.slice(0, -1).map((at, i) => {
      const text = vocabulary.decode(ids.slice(at + 1, starts[i + 1]));
      const line = text.indexOf("\n");
      return { role: text.slice(0, line), text: text.slice(line + 1) };
    });
    this.tools = readTools(this.turns[0]?.text ?? "");
  }

  get system(): string {
    return this.turns[0]?.role === "system" ? this.turns[0].text : "";
  }

  get firstUser(): string {
    return this.turns.find((turn) => turn.role === "user")?.text ?? "";
  }

  /** What was said last but for the system, which Claude Code repeats at the end after a compaction. */
  get last(): string {
    return this.turns.findLast(({ role }) => role !== "system")?.text ?? "";
  }
}

/** The template writes one definition a line between `<tools>` and `</tools>`. */
function readTools(system: string): Map<string, string[]> {
  const block = /<tools>\n([\s\S]*?)\n<\/tools>/.exec(system.slice(system.lastIndexOf("# Tools")));
  const lines = block?.[1]?.split("\n") ?? [];
  return new Map(
    lines.map((line) => {
      const { name, parameters } = ToolLine.parse(JSON.parse(line)).function;
      return [name, Object.keys(parameters?.properties ?? {})];
    }),
  );
}
