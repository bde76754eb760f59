import {
  instructionOf,
  REPAIR_SYSTEM_PROMPT,
  REPAIR_TOOLS,
  TOOL_ANSWERS,
} from "@liverl/contract/repair-task";
import type { Termination } from "@liverl/contract/trajectory";
import type { AgentJob } from "#scaffolds/agent-messages.ts";
import type { AssistantMessage, ChatClient } from "#scaffolds/chat-client.ts";
import { type RepairToolContext, runRepairTool } from "#scaffolds/repair-tools.ts";

type ChatMessage =
  | { role: "system" | "user"; content: string }
  | { role: "tool"; tool_call_id: string; content: string }
  | AssistantMessage;

export interface AgentEnding {
  termination: Termination;
  turns: number;
  toolS: number;
}

const MAX_BAD_CALLS = 2;

/** One agent on one task: asks the model, runs its tools, until it submits, runs out of turns or talks nonsense twice. */
export async function runRepairAgent(
  ctx: RepairToolContext & { chat: ChatClient; signal: AbortSignal },
  job: Pick<AgentJob, "baseUrl" | "apiKey" | "model" | "maxTurns">,
  progress: AgentEnding,
): Promise<void> {
  const messages: ChatMessage[] = [
    { role: "system", content: REPAIR_SYSTEM_PROMPT },
    { role: "user", content: instructionOf(ctx.task) },
  ];
  let badCalls = 0;
  while (progress.turns < job.maxTurns) {
    const body = JSON.stringify({ model: job.model, messages, tools: REPAIR_TOOLS });
    const outcome = await ctx.chat.complete({
      baseUrl: job.baseUrl,
      apiKey: job.apiKey,
      body,
      signal: ctx.signal,
    });
    if (outcome.kind === "context-overflow") return end(progress, "context-overflow");
    if (outcome.kind === "refused") return end(progress, "agent-error");
    progress.turns++;
    messages.push(outcome.message);
    const began = performance.now();
    const acted = await act(ctx, outcome.message);
    progress.toolS += (performance.now() - began) / 1_000;
    if (acted.isSubmit) return end(progress, "agent-finished");
    if (acted.isBadCall && ++badCalls >= MAX_BAD_CALLS) return end(progress, "agent-error");
    messages.push(...acted.messages);
  }
  end(progress, "max-turns");
}

function end(progress: AgentEnding, termination: Termination): void {
  progress.termination = termination;
}

async function act(
  ctx: RepairToolContext,
  message: AssistantMessage,
): Promise<{ messages: ChatMessage[]; isBadCall: boolean; isSubmit: boolean }> {
  const calls = message.tool_calls ?? [];
  if (calls.length === 0) {
    return {
      messages: [{ role: "user", content: TOOL_ANSWERS.badCall }],
      isBadCall: true,
      isSubmit: false,
    };
  }
  const messages: ChatMessage[] = [];
  let isBadCall = false;
  for (const call of calls) {
    const answer = await runRepairTool(ctx, call.function);
    if (answer.isSubmit) return { messages, isBadCall, isSubmit: true };
    isBadCall ||= answer.isBadCall;
    messages.push({ role: "tool", tool_call_id: call.id, content: answer.text });
  }
  return { messages, isBadCall, isSubmit: false };
}
