import type { AssistantMessage, ToolCall } from "#scaffolds/chat-client.ts";
import { BASH_TOOL, runBashTool } from "#scaffolds/harbor/bash-tool.ts";
import {
  finished,
  type Scaffold,
  type ScaffoldEnding,
  type ScaffoldWork,
} from "#scaffolds/harbor/scaffold.ts";

type ChatMessage =
  | { role: "system" | "user"; content: string }
  | { role: "tool"; tool_call_id: string; content: string }
  | AssistantMessage;

const SYSTEM_PROMPT = `You are a software engineer at work in a Linux machine. You act by the tool bash, which runs one command and shows what it wrote. Each command starts in the task's folder, in a shell of its own. Look before you change anything, and check what you did. When the task is done, answer without calling a tool.`;
const MAX_BAD_CALLS = 3;

/**
 * A loop with one tool, bash. It runs here and not in the sandbox, so the sandbox needs no program, no network and no
 * key of the session.
 */
export const mini: Scaffold = { name: "mini", version: "1", run };

async function run(work: ScaffoldWork): Promise<ScaffoldEnding> {
  const { chat, session, model, maxTurns, step, signal, progress } = work;
  const messages: ChatMessage[] = [
    { role: "system", content: SYSTEM_PROMPT },
    { role: "user", content: step.instruction },
  ];
  let badCalls = 0;
  while (progress.turns < maxTurns) {
    const body = JSON.stringify({ model, messages, tools: [BASH_TOOL] });
    const outcome = await chat.complete({ ...session, body, signal });
    if (outcome.kind === "context-overflow")
      return { termination: "context-overflow", exception: null };
    if (outcome.kind === "refused") return failed(`The model's side refused: ${outcome.message}`);
    progress.turns++;
    messages.push(outcome.message);
    const calls = outcome.message.tool_calls ?? [];
    if (calls.length === 0) return finished;
    const acted = await act(work, calls);
    messages.push(...acted.messages);
    badCalls = acted.isBad ? badCalls + 1 : 0;
    if (badCalls >= MAX_BAD_CALLS)
      return failed(`The model called no tool that there is, ${MAX_BAD_CALLS} times in a row.`);
  }
  return { termination: "max-turns", exception: null };
}

async function act(work: ScaffoldWork, calls: readonly ToolCall[]) {
  const messages: ChatMessage[] = [];
  let isBad = false;
  for (const call of calls) {
    const began = performance.now();
    const answer = await runBashTool(work, call.function);
    work.progress.toolS += (performance.now() - began) / 1_000;
    isBad ||= answer.isBad;
    messages.push({ role: "tool", tool_call_id: call.id, content: answer.text });
  }
  return { messages, isBad };
}

const failed = (message: string): ScaffoldEnding => ({
  termination: "agent-error",
  exception: {
    exception_type: "NonZeroAgentExitCodeError",
    exception_message: message,
    occurred_at: new Date().toISOString(),
  },
});
