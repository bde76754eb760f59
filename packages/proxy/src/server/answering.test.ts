import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { OpenedSession } from "@liverl/contract/proxy-admin";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import type { ParsedCall } from "#dialects/dialect.ts";
import { Answering } from "#server/answering.ts";
import { ProxyBench } from "#testing/proxy-bench.ts";

let bench: ProxyBench;
let session: OpenedSession;
beforeAll(async () => {
  bench = await ProxyBench.start();
  session = await bench.openSession();
});
afterAll(() => bench.stop());
afterEach(() => void vi.useRealTimers());

const user = { role: "user", content: "Hi" };
const DIALECTS = [
  ["chat/completions", { messages: [user] }, /^: waiting for the model$/gm, "data: [DONE]"],
  ["messages", { messages: [user], max_tokens: 50 }, /^event: ping$/gm, "event: message_stop"],
  ["responses", { input: [user] }, /^event: response\.in_progress$/gm, "event: response.completed"],
] as const;

it.concurrent.each(DIALECTS)(
  "case 27: %s opens at once and beats, in its clients' own way, until the turn is durable",
  async (path, body, beat, end) => {
    bench.scripts(() => ({ ids: bench.turnIds("zebra"), delayMs: 1_000 }));
    const asked = Date.now();
    const response = await fetch(`${session.baseUrl}/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${session.apiKey}` },
      body: JSON.stringify({ model: "tiny", stream: true, ...body }),
    });
    expect(response.status).toBe(200);
    expect(Date.now() - asked).toBeLessThan(3_000);
    const text = await response.text();
    expect(text.match(beat)!.length).toBeGreaterThanOrEqual(2);
    expect(text.trimEnd().split("\n").slice(-2).join("\n")).toContain(end);
    // Everything that a client could act on stands after the last beat.
    const [first, ...said] = text.split(beat).at(-1)!.split("\n\n");
    expect(`${first}${said.join("")}`).toContain("zebra");
    expect(text.split(beat).slice(0, -1).join("")).not.toContain("zebra");
  },
);

it("case 27: an answer that is not streamed is preceded by spaces when it takes long, and is never half", () => {
  vi.useFakeTimers();
  const sent: string[] = [];
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  vi.spyOn(response, "write").mockImplementation((chunk) => sent.push(String(chunk)) > 0);
  vi.spyOn(response, "end").mockImplementation((chunk) => {
    sent.push(String(chunk));
    return response;
  });
  const head = vi.spyOn(response, "writeHead");
  const parsed = {
    request: { stream: false },
    answer: () => ({ ok: true }),
  } as unknown as ParsedCall;
  const answering = new Answering(response, parsed, () => ({}) as never);
  answering.began({} as never);
  vi.advanceTimersByTime(29_000);
  expect(head).not.toHaveBeenCalled();
  vi.advanceTimersByTime(20_000);
  expect(head).toHaveBeenCalledOnce();
  vi.spyOn(response, "headersSent", "get").mockReturnValue(true);
  answering.end({ call: {} } as never);
  expect(sent.slice(0, -1).every((chunk) => chunk === " ")).toBe(true);
  expect(JSON.parse(sent.join(""))).toEqual({ ok: true });
  vi.advanceTimersByTime(60_000);
  expect(sent.at(-1)).toBe('{"ok":true}');
});
