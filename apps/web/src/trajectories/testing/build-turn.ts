import type { TrainedSummary } from "@liverl/contract/trained-view";
import type { TurnOutline, TurnView } from "@liverl/contract/turn-view";

/** A range of a sampled turn with these texts as its tokens. */
export const buildTurn = (
  nodeId: number,
  change: Partial<TurnView> & { texts?: string[] } = {},
): TurnView => {
  const { texts = ["a"], ...rest } = change;
  return {
    ...{ nodeId, kind: "sampled", trained: true, from: 0, isEnd: true, text: "", toolCalls: [] },
    tokens: {
      ids: texts.map((_, at) => 100 + at),
      text: texts,
      logprobs: texts.map((_, at) => -at / 2),
      versions: texts.map(() => 3),
    },
    ...rest,
  };
};

/** The outline of a sampled turn. */
export const buildOutline = (nodeId: number, change: Partial<TurnOutline> = {}): TurnOutline => ({
  ...{
    nodeId,
    kind: "sampled",
    role: "assistant",
    roles: ["assistant"],
    turn: 1,
    label: "",
    characters: 0,
    lines: 0,
  },
  ...{ toolCalls: [], toolCallId: null, failed: false, trained: true, at: 0, tokens: 1 },
  ...{ versions: [[3, change.tokens ?? 1]], lossy: null, startedAt: null, firstTokenAt: null },
  ...{ endedAt: null, stopReason: null },
  ...change,
});

/** Of a segment that no update took. */
export const buildUntrained = (why: string): TrainedSummary => ({
  ...{ why, isPending: false, update: null, spreads: null, clipped: null },
});
