import type { OpenedSession } from "@liverl/contract/proxy-admin";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { ProxyBench, postChat } from "#testing/proxy-bench.ts";

let bench: ProxyBench;
let session: OpenedSession;
beforeAll(async () => {
  bench = await ProxyBench.start();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  bench.engine.seen.length = 0;
  session = await bench.openSession();
});

const toolsOf = (...names: string[]) =>
  names.map((name) => ({ type: "function", function: { name, parameters: { type: "object" } } }));
const TOOLS = toolsOf("edit");
const SYSTEM = { role: "system", content: "You fix bugs." };
const user = (content: string) => ({ role: "user", content });
const said = (content: string) => ({ role: "assistant", content });
const ask = async (
  messages: object[],
  {
    tools = TOOLS,
    headers = {},
  }: { tools?: object[] | null; headers?: Record<string, string> } = {},
) => postChat(session, { messages, ...(tools ? { tools } : {}) }, { headers });
const finish = async () => {
  const { trajectory } = await bench.complete(session.sessionId);
  return {
    trajectory,
    /** `kind reason` of each call in order. */
    calls: trajectory.calls.map(({ kind, fork }) => `${kind} ${fork?.reason ?? "-"}`),
    /** The text that each root goes on from. */
    links: trajectory.nodes.flatMap((node) =>
      node.kind === "given" && node.linkedFrom !== null ? [[node.id, node.linkedFrom]] : [],
    ),
    untrained: trajectory.segments
      .filter(({ trainable }) => !trainable)
      .map(({ reason }) => reason),
  };
};

it("case 15: other tools or another system prompt start a root of their own, linked and never spliced", async () => {
  bench.say("A", "B", "C", "D");
  const first = [SYSTEM, user("Fix it")];
  const second = [...first, said("A"), user("go on")];
  await ask(first);
  await ask(second, { tools: toolsOf("edit", "search") });
  await ask([{ role: "system", content: "You plan." }, ...second.slice(1)]);
  await ask(second);
  const { trajectory, calls, links, untrained } = await finish();
  expect(calls).toEqual(["main -", "main tools-changed", "main system-changed", "main -"]);
  const roots = trajectory.nodes.filter((node) => node.parentId === null);
  expect(roots).toHaveLength(3);
  expect(links).toHaveLength(2);
  expect(untrained).toEqual([]);
});

it.each([
  [
    "OpenCode's title",
    [{ role: "system", content: "You are a title generator." }, user("Fix it")],
    {},
  ],
  ["a document of its own schema", [user("Name this session")], { type: "json_schema" }],
  [
    "no tools and its own system prompt",
    [{ role: "system", content: "Is this a new topic?" }, user("Fix")],
    null,
  ],
])(
  "case 16: %s is a side request, kept but not trained, before and after the agent's first call",
  async (_, messages, format) => {
    bench.say("side", "work", "side again");
    const early = format !== null;
    const side = () =>
      postChat(session, {
        messages,
        ...(format && "type" in format ? { response_format: format } : {}),
      });
    if (early) await side();
    await ask([SYSTEM, user("Fix it")]);
    bench.say("side again");
    await side();
    const { trajectory, calls, untrained } = await finish();
    expect(calls.filter((call) => call.startsWith("main"))).toEqual(["main -"]);
    expect(calls.filter((call) => call.startsWith("side"))).toHaveLength(early ? 2 : 1);
    expect(new Set(untrained)).toEqual(new Set(["side-request"]));
    expect(trajectory.segments.filter(({ trainable }) => trainable)).toHaveLength(1);
  },
);

it.each([
  [
    "Claude Code",
    (id: string) => ({ "x-claude-code-session-id": "s", "x-claude-code-agent-id": id }),
  ],
  ["Codex", (id: string) => ({ "thread-id": id, "x-codex-parent-thread-id": "main" })],
  ["OpenCode", (id: string) => ({ "x-session-id": id, "x-parent-session-id": "main" })],
])(
  "case 17: %s's parallel subagents with equal prompts have roots of their own",
  async (_, headersOf) => {
    bench.scripts(() => ({ ids: bench.turnIds("ok"), delayMs: 20 }));
    await ask([SYSTEM, user("Fix it")]);
    const prompt = [{ role: "system", content: "You search." }, user("Find it")];
    await Promise.all(["one", "two"].map((id) => ask(prompt, { headers: headersOf(id) })));
    await ask([...prompt, said("ok"), user("more")], { headers: headersOf("one") });
    await ask([SYSTEM, user("Fix it"), said("ok"), user("go on")]);
    const { trajectory, calls, links, untrained } = await finish();
    expect(calls).toEqual([
      "main -",
      "subagent subagent",
      "subagent subagent",
      "subagent -",
      "main -",
    ]);
    expect(trajectory.nodes.filter((node) => node.parentId === null)).toHaveLength(3);
    expect(links.map(([, from]) => from)).toEqual([1, 1]);
    expect(untrained).toEqual(["subagent", "subagent"]);
    expect(trajectory.calls.map(({ subagent }) => subagent)).toEqual([
      null,
      "one",
      "two",
      "one",
      null,
    ]);
  },
);

it("case 17: two calls may extend one node side by side", async () => {
  bench.scripts(() => ({ ids: bench.turnIds("ok"), delayMs: 20 }));
  const first = [SYSTEM, user("Fix it")];
  await ask(first);
  const answers = await Promise.all(
    ["left", "right"].map((text) => ask([...first, said("ok"), user(text)])),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const { trajectory } = await finish();
  const [left, right] = trajectory.nodes.filter((node) => node.parentId === 1);
  expect([left?.kind, right?.kind]).toEqual(["given", "given"]);
  expect(trajectory.segments.map(({ path }) => path.length)).toEqual([4, 4]);
});

const SUMMARY = "The user wants the bug in src/a.js fixed; line 2 subtracts where it should add.";

it("case 20: Claude Code's compaction goes on from a new root that is linked to its summary", async () => {
  bench.say("A", `<analysis>x</analysis>\n<summary>${SUMMARY}</summary>`, "B");
  const first = [SYSTEM, user("Fix it")];
  await ask(first);
  await ask([...first, said("A"), user("ok\nCRITICAL: Respond with TEXT ONLY. Summarise.")]);
  await ask([
    SYSTEM,
    user(`This session is being continued from a previous conversation.\n${SUMMARY}`),
  ]);
  const { trajectory, calls, links, untrained } = await finish();
  expect(calls).toEqual(["main -", "compaction -", "main compaction"]);
  expect(links).toEqual([[4, 3]]);
  expect(untrained).toEqual(["compaction"]);
  expect(trajectory.segments.map(({ trainedNodes }) => trainedNodes)).toEqual([[1], [5], []]);
});

it("case 20: a summary is asked for by the user, though the client's system message stands behind it", async () => {
  bench.say("A", SUMMARY, "B");
  const first = [SYSTEM, user("Fix it")];
  await ask(first);
  await ask([
    ...[...first, said("A"), user("ok\nCRITICAL: Respond with TEXT ONLY. Summarise.")],
    { role: "system", content: "# Environment\nYou work in /w." },
  ]);
  const { calls, untrained } = await finish();
  expect(calls).toEqual(["main -", "compaction -"]);
  expect(untrained).toEqual(["compaction"]);
});

it("case 20: Codex's compaction says so in a header; its summary is a root that does not train", async () => {
  bench.say("A", SUMMARY, "B");
  const first = [SYSTEM, user("Fix it")];
  const metadata = { "x-codex-turn-metadata": JSON.stringify({ request_kind: "compaction" }) };
  await ask(first);
  await ask([...first, said("A"), user("Summarise.")], { tools: null, headers: metadata });
  await ask([SYSTEM, user(`Another model started this. ${SUMMARY}`)]);
  const { calls, links, untrained } = await finish();
  expect(calls).toEqual(["main -", "compaction compaction", "main compaction"]);
  expect(links).toEqual([
    [2, 1],
    [4, 3],
  ]);
  expect(untrained).toEqual(["compaction"]);
});

it("case 20: OpenCode's compaction has a system prompt of its own and quotes its summary as a turn", async () => {
  bench.say("A", SUMMARY, "B");
  const first = [SYSTEM, user("Fix it")];
  await ask(first);
  await ask(
    [
      { role: "system", content: "You are tasked with summarizing conversations." },
      ...first.slice(1),
      said("A"),
      user("Sum up"),
    ],
    {
      tools: null,
    },
  );
  await ask([SYSTEM, user("What did we do so far?"), said(SUMMARY), user("Continue")]);
  const { calls, links, untrained } = await finish();
  expect(calls).toEqual(["main -", "compaction compaction", "main compaction"]);
  expect(links.at(-1)).toEqual([4, 3]);
  expect(untrained).toEqual(["compaction"]);
});

it("case 20: a turn that a client keeps after its summary stands there by the ids that were sampled", async () => {
  const call =
    '<tool_call>\n{"name": "edit", "arguments": {"code": "cd /w && ls  "}}\n</tool_call>';
  bench.say(call, SUMMARY, "B");
  const { body } = await ask([SYSTEM, user("Fix it")]);
  const [sent] = body.choices[0]!.message.tool_calls!;
  await ask([SYSTEM, user("Fix it\nCRITICAL: Respond with TEXT ONLY. Summarise.")]);
  const echo = { ...sent, function: { name: "edit", arguments: '{"code":"ls"}' } };
  await ask([
    SYSTEM,
    user(`This session is being continued from a previous conversation.\n${SUMMARY}`),
    { role: "assistant", content: "", tool_calls: [echo] },
    { role: "tool", tool_call_id: sent!.id, content: "a.js" },
  ]);
  const prompt = bench.engine.seen.at(-1)!.request.token_ids;
  const held = bench.engine.seen[0]!.sent;
  const at = prompt.findIndex((_, i) => held.every((id, j) => prompt[i + j] === id));
  expect(at).toBeGreaterThan(0);
  expect(bench.renderer.decode(prompt.slice(0, at))).toMatch(/<\|im_start\|>assistant\n$/);
  expect(bench.renderer.decode(prompt.slice(at + held.length))).toMatch(
    /^\n<\|im_start\|>user\n<tool_response>\na\.js/,
  );
  const { trajectory, untrained } = await finish();
  expect(untrained).toEqual(["compaction"]);
  const trained = trajectory.segments.reduce((sum, segment) => sum + segment.trainedTokens, 0);
  expect(trained).toBe(held.length + bench.turnIds("B").length);
});

it("case 20: a sampled turn that follows another stands by its ids, too", async () => {
  const call = '<tool_call>\n{"name": "edit", "arguments": {"code": "ls  "}}\n</tool_call>';
  bench.say("A", call, "B");
  const first = [SYSTEM, user("Fix it")];
  await ask(first);
  const { body } = await postChat(
    session,
    { messages: first, tools: TOOLS },
    {
      headers: { "x-stainless-retry-count": "0" },
    },
  );
  const [sent] = body.choices[0]!.message.tool_calls!;
  const echo = { ...sent, function: { name: "edit", arguments: '{"code":"ls"}' } };
  await ask([
    ...first,
    said("A"),
    { role: "assistant", content: null, tool_calls: [echo] },
    { role: "tool", tool_call_id: sent!.id, content: "a.js" },
  ]);
  const [one, two, three] = bench.engine.seen.map((seen) => seen);
  const prompt = three!.request.token_ids;
  const held = [...one!.request.token_ids, ...one!.sent];
  expect(prompt.slice(0, held.length)).toEqual(held);
  const at = prompt.findIndex((_, i) => two!.sent.every((id, j) => prompt[i + j] === id));
  expect(bench.renderer.decode(prompt.slice(held.length, at))).toBe("\n<|im_start|>assistant\n");
});

it("case 18: a call that its client broke off and asks again is a retry, not another sample", async () => {
  bench.scripts(() => ({ ids: bench.turnIds("a long answer"), delayMs: 40 }));
  const gone = new AbortController();
  const messages = [SYSTEM, user("Fix it")];
  const cut = postChat(session, { messages, tools: TOOLS }, { signal: gone.signal });
  await vi.waitFor(() => expect(bench.engine.seen[0]?.sent.length).toBeGreaterThan(1), 25_000);
  gone.abort();
  await expect(cut).rejects.toThrow();
  await vi.waitFor(async () => expect(await fetchCalls()).toEqual(["aborted"]), 25_000);
  bench.say("ok");
  await ask(messages);
  const { calls } = await finish();
  expect(calls).toContain("main retry-replay");
});

async function fetchCalls(): Promise<string[]> {
  const response = await fetch(`${bench.proxy.adminUrl}/sessions/${session.sessionId}`, {
    headers: { authorization: `Bearer ${bench.proxy.adminToken}` },
  });
  const { calls } = (await response.json()) as { calls: { status: string }[] };
  return calls.map(({ status }) => status);
}

it("each step of a task is a conversation of its own that trains, also where it begins with the same words", async () => {
  bench.say("one", "two", "two more", "three");
  const at = (step: string) => ({ headers: { "x-liverl-task-step": encodeURIComponent(step) } });
  const start = [SYSTEM, user("Go on with the plan")];
  await ask(start, at("first"));
  await ask(start, at("zweiter Schritt ü"));
  await ask([...start, said("two"), user("more")], at("zweiter Schritt ü"));
  await ask([SYSTEM, user("Another thing")], at("third"));
  const { trajectory, calls, links, untrained } = await finish();
  expect(calls).toEqual(["main -", "main next-step", "main -", "main next-step"]);
  expect(trajectory.calls.map(({ taskStep }) => taskStep)).toEqual([
    "first",
    "zweiter Schritt ü",
    "zweiter Schritt ü",
    "third",
  ]);
  expect(links).toHaveLength(2);
  expect(untrained).toEqual([]);
  expect(trajectory.segments.map(({ trainedNodes }) => trainedNodes.length)).toEqual([1, 2, 1]);
});
