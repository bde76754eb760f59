import type { OpenedSession } from "@liverl/contract/proxy-admin";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ProxyBench } from "#testing/proxy-bench.ts";

let bench: ProxyBench;
let session: OpenedSession;
beforeAll(async () => {
  bench = await ProxyBench.start({ engines: 2 });
});
afterAll(() => bench.stop());
beforeEach(async () => {
  for (const engine of bench.engines) engine.seen.length = 0;
  session = await bench.openSession({ stream: "live" });
});

const TOOLS = [{ type: "function", function: { name: "edit", parameters: { type: "object" } } }];
const user = { role: "user", content: "Hi" };
const DIALECTS = [
  ["chat/completions", { messages: [user], tools: TOOLS }],
  ["messages", { messages: [user], tools: [{ name: "edit", input_schema: { type: "object" } }] }],
  ["responses", { input: [user], tools: [{ type: "function", name: "edit", parameters: {} }] }],
] as const;
const SAID = 'Let me see.\n<tool_call>\n{"name": "edit", "arguments": {"code": "x"}}\n</tool_call>';

/** The answer's text as it came, piece by piece, with the time of each piece. */
async function pieces(path: string, body: object): Promise<{ atMs: number; text: string }[]> {
  const response = await fetch(`${session.baseUrl}/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${session.apiKey}` },
    body: JSON.stringify({ model: "tiny", stream: true, ...body }),
  });
  const began = performance.now();
  const came: { atMs: number; text: string }[] = [];
  const decoder = new TextDecoder();
  for await (const bytes of response.body!)
    came.push({ atMs: performance.now() - began, text: decoder.decode(bytes, { stream: true }) });
  return came;
}

/** All that was said in a stream of any dialect. */
function saidIn(text: string): string {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)))
    .map(({ type, delta, choices }) => {
      if (choices) return choices[0]?.delta.content ?? "";
      if (type === "response.output_text.delta") return delta;
      return type === "content_block_delta" ? (delta.text ?? "") : "";
    })
    .join("");
}

it.each(DIALECTS)(
  "%s shows text as it is sampled, and a call only once the turn is durable",
  async (path, body) => {
    bench.scripts(() => ({ ids: bench.turnIds(SAID), delayMs: 8 }));
    const came = await pieces(path, body);
    const withText = came.filter(({ text }) => saidIn(text) !== "");
    expect(withText.length).toBeGreaterThan(3);
    expect(saidIn(came.map(({ text }) => text).join(""))).toBe("Let me see.");
    const lastAt = came.at(-1)!.atMs;
    expect(withText[0]!.atMs).toBeLessThan(lastAt / 2);
    const naming = came.filter(({ text }) => text.includes('"edit"') && text.includes("call_"));
    expect(naming.map(({ atMs }) => atMs)).toEqual([lastAt]);
  },
);

it("keeps what was shown when an engine dies, and goes on from it elsewhere", async () => {
  bench.scripts((_request, index) =>
    index === 0 && bench.engines.flatMap((engine) => engine.seen).length === 1
      ? { ids: bench.turnIds("one two three"), delayMs: 4, dieAfterChunks: 8 }
      : { ids: bench.turnIds(" and more"), delayMs: 1 },
  );
  const came = await pieces("chat/completions", { messages: [user] });
  expect(saidIn(came.map(({ text }) => text).join(""))).toBe("one two  and more");
  const { trajectory } = await bench.complete(session.sessionId);
  const [call] = trajectory.calls;
  expect(call).toMatchObject({ status: "done", stopReason: "stop" });
  expect(call!.requestIds).toHaveLength(2);
  const node = trajectory.nodes.find(({ id }) => id === call!.sampledNodeId)!;
  expect(node.kind === "sampled" && node.policyVersions.slice(0, 8)).toEqual(Array(8).fill(null));
  expect(node.tokenIds).toEqual([
    ...bench.turnIds("one two ", { close: false }),
    ...bench.turnIds(" and more"),
  ]);
});
