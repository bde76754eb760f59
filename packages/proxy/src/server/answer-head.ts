import type { Call } from "@liverl/contract/trajectory";
import type { AnswerHead } from "#dialects/dialect.ts";

export function headOf(sessionId: string, model: string, call: Call): AnswerHead {
  return {
    sessionId,
    callId: call.id,
    model,
    created: Math.floor(Date.parse(call.startedAt) / 1000),
    promptTokens: call.usage.promptTokens,
  };
}
