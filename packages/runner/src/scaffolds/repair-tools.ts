import {
  expectedValues,
  failureMessage,
  type RepairTask,
  TOOL_ANSWERS,
  VISIBLE_ARGUMENTS,
} from "@liverl/contract/repair-task";
import { z } from "zod";
import type { ProcessSandbox } from "#sandboxes/process-sandbox.ts";
import { firstWrongFunction } from "#verifier/check-outputs.ts";
import type { CodePool } from "#verifier/code-pool.ts";

const EditArguments = z.object({ line: z.number().int(), code: z.string().max(400) });

export interface RepairToolContext {
  task: RepairTask;
  sandbox: ProcessSandbox;
  /** Runs the visible check: a pool of the agent's side, never the verifier's. */
  visible: CodePool;
}

export type ToolAnswer = { text: string; isBadCall: boolean; isSubmit: boolean };

const answer = (text: string): ToolAnswer => ({ text, isBadCall: false, isSubmit: false });
const badCall: ToolAnswer = { text: TOOL_ANSWERS.badCall, isBadCall: true, isSubmit: false };

/** Acts on one tool call. What the model got wrong is an answer, never an exception. */
export async function runRepairTool(
  ctx: RepairToolContext,
  call: { name: string; arguments: string },
): Promise<ToolAnswer> {
  const given = parseArguments(call.arguments);
  if (given === null) return badCall;
  switch (call.name) {
    case "submit":
      return { text: "", isBadCall: false, isSubmit: true };
    case "test":
      return answer(await runVisibleCheck(ctx));
    case "edit": {
      const edit = EditArguments.safeParse(given);
      if (!edit.success || /[\r\n\0]/.test(edit.data.code)) return badCall;
      return answer(await editLine(ctx, edit.data));
    }
    default:
      return badCall;
  }
}

function parseArguments(text: string): object | null {
  try {
    const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

async function editLine(
  { task, sandbox }: RepairToolContext,
  { line, code }: { line: number; code: string },
): Promise<string> {
  const lines = (await sandbox.read(task.path)).replace(/\n$/, "").split("\n");
  const current = lines[line - 1];
  if (current === undefined) return TOOL_ANSWERS.badLine;
  // The model writes code without its indentation, which is the file's.
  const indentation = /^\s/.test(code) ? "" : (/^\s*/.exec(current)?.[0] ?? "");
  lines[line - 1] = `${indentation}${code}`;
  await sandbox.write(task.path, `${lines.join("\n")}\n`);
  return TOOL_ANSWERS.edited;
}

async function runVisibleCheck({ task, sandbox, visible }: RepairToolContext): Promise<string> {
  const source = await sandbox.read(task.path);
  const run = await visible.run({
    source,
    functionNames: task.functions.map((fn) => fn.name),
    argumentList: VISIBLE_ARGUMENTS.map(([x, y]): [number, number] => [x, y]),
  });
  // Code that can not even run says nothing of its functions; the line to look at is then the one that was broken.
  const wrong =
    run.outcome === "ran"
      ? firstWrongFunction(run.outputs, expectedValues(task, VISIBLE_ARGUMENTS))
      : task.brokenFunction;
  return wrong === null ? TOOL_ANSWERS.pass : failureMessage(task, wrong);
}
