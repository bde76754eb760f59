import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ChatAnswer, ProxyBench, postChat } from "#testing/proxy-bench.ts";
import { flattenSegment } from "#trajectory/flatten.ts";

let bench: ProxyBench;
beforeAll(async () => {
  bench = await ProxyBench.start();
});
afterAll(() => bench.stop());

const TOOLS = [
  { type: "function", function: { name: "edit", parameters: { type: "object", properties: {} } } },
];
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom(
    "<|im_end|>",
    "</tool_call>",
    "\n\n",
    " a",
    "<|im_",
    "\ue000",
    "é🙂",
    "return a + b",
  ),
);
const turn = fc.record({
  /** What the engine says. */
  said: fc.oneof(
    text,
    text.map(
      (code) =>
        `<tool_call>\n{"name": "edit", "arguments": {"code": ${JSON.stringify(code)}}}\n</tool_call>`,
    ),
    fc.constant('<tool_call>\n{"name": "edit"'),
  ),
  finish: fc.constantFrom("stop" as const, "stop" as const, "length" as const),
  reply: text,
  /** Go on from here, ask the same again first, or edit what was said. */
  move: fc.constantFrom(
    "on" as const,
    "on" as const,
    "again" as const,
    "edit" as const,
    "drop" as const,
  ),
});

type Messages = Record<string, unknown>[];

function nextMessages(
  messages: Messages,
  answer: ChatAnswer,
  { reply, move }: { reply: string; move: string },
): Messages {
  const { message } = answer.choices[0]!;
  const said = move === "edit" ? { role: "assistant", content: "edited" } : message;
  const results =
    move === "edit"
      ? []
      : (message.tool_calls ?? []).map((call) => ({
          role: "tool",
          tool_call_id: call.id,
          content: reply,
        }));
  return [
    ...messages,
    said,
    ...(results.length > 0 ? results : [{ role: "user", content: reply }]),
  ];
}

function pathIds(trajectory: ProxyTrajectory, nodeId: number | null): number[] {
  if (nodeId === null) return [];
  const node = trajectory.nodes.find(({ id }) => id === nodeId)!;
  return [...pathIds(trajectory, node.parentId), ...node.tokenIds];
}

it("case 05: for every call of any conversation, the path's ids are what the engine saw and gave", async () => {
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.array(turn, { minLength: 1, maxLength: 6 }),
      async (opening, turns) => {
        const session = await bench.openSession({
          sampling: { temperature: 1, max_tokens: 2000 },
          trains: ["main", "side", "subagent", "compaction"],
        });
        const from = bench.engine.seen.length;
        let messages: Messages = [{ role: "user", content: opening }];
        for (const step of turns) {
          bench.scripts(() => ({
            ids: bench
              .turnIds(step.said, { close: step.finish === "stop" })
              .concat(step.said === "" && step.finish === "length" ? [65] : []),
            finish: step.finish,
            idsPerChunk: 5,
          }));
          const { status, body } = await postChat(
            session,
            { messages, tools: TOOLS },
            { headers: { "x-stainless-retry-count": "0" } },
          );
          expect(status).toBe(200);
          if (step.move === "again")
            await postChat(
              session,
              { messages, tools: TOOLS },
              { headers: { "x-stainless-retry-count": "0" } },
            );
          messages =
            step.move === "drop"
              ? [{ role: "user", content: step.reply }]
              : nextMessages(messages, body, step);
        }
        const { trajectory } = await bench.complete(session.sessionId);
        const byRequest = new Map(
          bench.engine.seen.slice(from).map((seen) => [seen.request.request_id, seen]),
        );
        expect(trajectory.calls).toHaveLength(byRequest.size);
        for (const call of trajectory.calls) {
          const seen = byRequest.get(call.requestIds[0]!)!;
          expect(pathIds(trajectory, call.promptNodeId)).toEqual(seen.request.token_ids);
          expect(pathIds(trajectory, call.sampledNodeId)).toEqual([
            ...seen.request.token_ids,
            ...seen.sent,
          ]);
        }
        const flats = trajectory.segments.map((segment) => flattenSegment(trajectory, segment.id));
        const trained = flats.reduce(
          (sum, flat) => sum + flat.mask.filter((bit) => bit === 1).length,
          0,
        );
        expect(trained).toBe(
          [...byRequest.values()].reduce((sum, seen) => sum + seen.sent.length, 0),
        );
        for (const flat of flats)
          expect(
            new Set([
              flat.tokenIds.length,
              flat.mask.length,
              flat.logprobs.length,
              flat.policyVersions.length,
            ]).size,
          ).toBe(1);
      },
    ),
    // A slow machine tries fewer conversations; none at all would be a failure.
    { numRuns: 60, interruptAfterTimeLimit: 120_000 },
  );
});
