import {
  failureMessage,
  HIDDEN_ARGUMENTS,
  type RepairTask,
  TOOL_ANSWERS,
  VISIBLE_ARGUMENTS,
} from "@liverl/contract/repair-task";
import { z } from "zod";
import type { CandidateCheck } from "#direct/code-worker.ts";

const Call = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) });
const Edit = z.object({ line: z.number().int(), code: z.string() });

/** One agent's work on one task, without files: tools as the trial runner offers them. */
export class DirectEpisode {
  readonly #lines: string[];
  turns = 0;
  #badCalls = 0;

  constructor(
    readonly task: RepairTask,
    readonly maxTurns: number,
    readonly check: CandidateCheck,
  ) {
    this.#lines = task.lines.slice();
  }

  async reward(): Promise<number> {
    const wrong = await this.check.firstWrongFunction(this.task, this.#lines, HIDDEN_ARGUMENTS);
    return wrong === null ? 1 : 0;
  }

  /** Takes the text of an assistant turn; returns the tool's answer, or null when the episode is over. */
  async take(text: string): Promise<string | null> {
    this.turns++;
    const answer = await this.#answer(text);
    return this.turns >= this.maxTurns ? null : answer;
  }

  async #answer(text: string): Promise<string | null> {
    const call = parseCall(text);
    if (!call) return ++this.#badCalls > 1 ? null : TOOL_ANSWERS.badCall;
    if (call.name === "submit") return null;
    if (call.name === "test") {
      const wrong = await this.check.firstWrongFunction(this.task, this.#lines, VISIBLE_ARGUMENTS);
      return wrong === null ? TOOL_ANSWERS.pass : failureMessage(this.task, wrong);
    }
    const edit = call.name === "edit" ? Edit.safeParse(call.arguments) : null;
    if (!edit?.success) return TOOL_ANSWERS.badCall;
    const { line, code } = edit.data;
    if (line < 1 || line > this.#lines.length) return TOOL_ANSWERS.badLine;
    this.#lines[line - 1] = `  ${code}`;
    return TOOL_ANSWERS.edited;
  }
}

function parseCall(text: string): z.infer<typeof Call> | null {
  const body = /<tool_call>\s*([\s\S]*?)\s*<\/tool_call>/.exec(text)?.[1];
  if (body === undefined) return null;
  try {
    return Call.parse(JSON.parse(body));
  } catch {
    return null;
  }
}
