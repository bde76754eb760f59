import pino from "pino";
import { expect, it, vi } from "vitest";
import { ProxyBench } from "#testing/proxy-bench.ts";

const user = { role: "user", content: "Hi" };
const DIALECTS = [
  ["chat/completions", { messages: [user] }],
  ["messages", { messages: [user], max_tokens: 64 }],
  ["responses", { input: [user] }],
] as const;

it.each([
  ["takes aborts", true],
  ["takes no aborts", false],
])("a client that leaves is no error of the proxy: an engine that %s", async (_, takesAborts) => {
  const lines: { level: number; msg: string; why?: string }[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const bench = await ProxyBench.start({ log });
  bench.engine.takesAborts = takesAborts;
  bench.scripts(() => ({ ids: bench.turnIds("a long answer that nobody reads"), delayMs: 20 }));
  const session = await bench.openSession();
  const rows = DIALECTS.flatMap(([path, body]) =>
    [true, false].map((stream) => ({ path, body: { ...body, stream } })),
  );
  for (const [i, { path, body }] of rows.entries()) {
    const gone = new AbortController();
    const asked = fetch(`${session.baseUrl}/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${session.apiKey}`, "x-stainless-retry-count": "0" },
      body: JSON.stringify({ model: "tiny", ...body }),
      signal: gone.signal,
    }).then((response) => response.text());
    await vi.waitFor(() => expect(bench.engine.seen[i]?.sent.length).toBeGreaterThan(0), 25_000);
    gone.abort();
    await expect(asked).rejects.toThrow();
  }
  await vi.waitFor(
    () =>
      expect(lines.filter(({ why }) => why === "the client went away")).toHaveLength(rows.length),
    25_000,
  );
  expect(lines.filter(({ level }) => level > 30)).toEqual([]);
  await bench.stop();
});
