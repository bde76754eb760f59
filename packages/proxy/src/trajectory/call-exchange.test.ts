import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ProxyBench } from "#testing/proxy-bench.ts";
import { callExchange } from "#trajectory/call-exchange.ts";
import { REQUESTS_FILE, readRequests } from "#trajectory/requests-file.ts";

let bench: ProxyBench;
beforeAll(async () => {
  bench = await ProxyBench.start();
});
afterAll(() => bench.stop());

it.each([
  ["chat/completions", "messages", (text: string) => ({ role: "assistant", content: text })],
  ["responses", "input", (text: string) => ({ role: "assistant", content: text })],
  ["messages", "messages", (text: string) => ({ role: "assistant", content: text })],
] as const)(
  "gives every request and answer of %s again, byte for byte, after a restart",
  async (path, list, said) => {
    bench.say("Grüße.", "Two.", "Three.");
    const { sessionId, baseUrl, apiKey } = await bench.openSession();
    const history: object[] = [];
    const sent: string[] = [];
    const got: string[] = [];
    for (const text of ["Hällo 🙂", "More", "Last"]) {
      history.push({ role: "user", content: text });
      const body = JSON.stringify({
        model: "tiny",
        [list]: history,
        tools: [],
        metadata: { user: "é" },
      });
      const response = await fetch(`${baseUrl}/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}` },
        body,
      });
      sent.push(body);
      got.push(await response.text());
      history.push(said(["Grüße.", "Two.", "Three."][sent.length - 1] ?? ""));
      if (sent.length === 2) await bench.restart();
    }
    const { trajectory, completed } = await bench.complete(sessionId);
    const bodies = await readRequests(join(completed.path, "..", REQUESTS_FILE));
    for (const [i, call] of trajectory.calls.entries())
      expect(callExchange(trajectory, (id) => bodies.get(id) ?? null, call.id)).toEqual({
        request: sent[i],
        response: got[i],
      });
    // Only what is new is kept, but for the first call after the restart.
    expect(bodies.get(1)!.text.length).toBeLessThan(sent[1]!.length / 2);
  },
);
