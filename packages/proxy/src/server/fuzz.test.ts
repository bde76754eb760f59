import { Agent, type IncomingHttpHeaders, request as send } from "node:http";
import type { OpenedSession } from "@liverl/contract/proxy-admin";
import { afterAll, expect, it } from "vitest";
import { faultOf } from "#testing/fuzz/fault-of.ts";
import { type FuzzRequest, fuzzRequest } from "#testing/fuzz/fuzz-request.ts";
import { ProxyBench } from "#testing/proxy-bench.ts";

/** `npm run bench -- fuzz` sends a million. */
const BODIES = 2000;
const PER_SESSION = 100;
const SIDE_BY_SIDE = 8;
/** One in so many goes to a new session, too: what is kept of a session's bodies changes no verdict. */
const TWICE = 25;
const PATHS = ["/chat/completions", "/responses", "/messages", "/messages/count_tokens"];

const bench = await ProxyBench.start({ maxModelLen: 32_768 });
const agent = new Agent({ keepAlive: true, maxSockets: SIDE_BY_SIDE });
bench.say(
  "It is done.",
  "<think>\nI look.\n</think>\n\nI will read it.",
  '<tool_call>\n{"name": "read", "arguments": {"path": "main.py", "lines": 5e3}}\n</tool_call>',
  '<tool_call>\n{"name": "read", "arguments": {"path": "unfini',
  "你好 🧪 é\n###\n\nHuman:",
);
afterAll(async () => {
  agent.destroy();
  await bench.stop();
});

function ask(session: OpenedSession, { path, body, headers }: FuzzRequest) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>(
    (resolve, reject) => {
      const request = send(
        session.baseUrl + path,
        {
          method: "POST",
          agent,
          headers: {
            "content-type": "application/json",
            ...headers,
            "content-length": body.length,
            authorization: `Bearer ${session.apiKey}`,
          },
        },
        async (response) => {
          const parts: Buffer[] = [];
          for await (const part of response) parts.push(part);
          const text = Buffer.concat(parts).toString("utf8");
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        },
      );
      request.setTimeout(20_000, () => request.destroy(new Error("no answer in 20 s")));
      request.on("error", reject);
      request.end(body);
    },
  );
}

async function faultsOf(first: number, count: number): Promise<string[]> {
  const session = await bench.openSession();
  const faults: string[] = [];
  for (let number = first; number < first + count; number++) {
    const request = fuzzRequest(number, PATHS);
    const answer = await ask(session, request);
    const fault = faultOf(answer);
    const told = `${number} ${request.path} ${request.body.toString("utf8").slice(0, 2000)}`;
    if (fault) faults.push(`${fault}: ${told}: ${answer.text.slice(0, 200)}`);
    if (number % TWICE !== 0) continue;
    const alone = await ask(await bench.openSession(), request);
    if (alone.status !== answer.status)
      faults.push(`${answer.status} with a history, ${alone.status} in a new session: ${told}`);
  }
  await bench.admin.deleteSession(session.sessionId);
  return faults;
}

it(`answers or refuses ${BODIES} damaged and valid bodies of three dialects, and fails at none`, async () => {
  const faults: string[] = [];
  let next = 0;
  const lane = async () => {
    while (next < BODIES) {
      const first = next;
      next += PER_SESSION;
      faults.push(...(await faultsOf(first, PER_SESSION)));
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
  expect(faults).toEqual([]);
});

it.each([
  ["an answer", 200, "application/json", '{"choices":[]}', null],
  ["a refusal", 400, "application/json", '{"error":{"type":"invalid_request_error"}}', null],
  ["a whole stream", 200, "text/event-stream", "data: {}\n\ndata: [DONE]\n\n", null],
  ["a failure", 500, "application/json", "{}", "status 500"],
  ["an engine away", 503, "application/json", "{}", "status 503"],
  ["a cut stream", 200, "text/event-stream", "data: {}\n\n", "a stream without an end"],
  ["half an answer", 200, "application/json", '{"choices":[', "an answer that is no JSON"],
  [
    "a failure in a stream",
    200,
    "text/event-stream",
    'data: {"error":{"message":"The proxy failed; its log says why."}}\n\ndata: [DONE]\n\n',
    "an error of ours in a stream",
  ],
])("judges %s", (_, status, type, text, fault) => {
  expect(faultOf({ status, headers: { "content-type": type }, text })).toBe(fault);
});
