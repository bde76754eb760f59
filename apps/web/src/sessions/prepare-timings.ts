import type { CallOutline } from "@liverl/contract/session-view";

/** Where the time of a call went, seconds. */
export interface CallTiming {
  /** Rendering the prompt and making its intent durable. */
  renderS: number;
  /** At the engine, until the first token. */
  queueS: number;
  /** From the first token to the durable end. */
  generateS: number;
  totalS: number;
  /** Null where the call never ended. */
  isOver: boolean;
}

/** `nowMs` ends what still runs. A call that failed early has only the parts that it came to. */
export function prepareTiming(call: CallOutline, nowMs: number | null): CallTiming {
  const startMs = Date.parse(call.startedAt);
  const endMs = call.endedAt === null ? (nowMs ?? startMs) : Date.parse(call.endedAt);
  const within = (time: string | null) =>
    time === null ? endMs : Math.min(endMs, Math.max(startMs, Date.parse(time)));
  const sentMs = within(call.sentAt ?? call.firstTokenAt);
  const firstMs = Math.max(sentMs, within(call.firstTokenAt));
  return {
    renderS: (sentMs - startMs) / 1000,
    queueS: (firstMs - sentMs) / 1000,
    generateS: (endMs - firstMs) / 1000,
    totalS: Math.max(0, endMs - startMs) / 1000,
    isOver: call.endedAt !== null,
  };
}
