import type { OpenedSession } from "@liverl/contract/proxy-admin";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
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
  expect(calls).toEqual(["main -", "main -", "main compaction"]);
  expect(links).toEqual([[4, 3]]);
  expect(untrained).toEqual([]);
  expect(trajectory.segments.map(({ parentSegmentId }) => parentSegmentId)).toEqual([null, null]);
});

it("case 20: Codex's compaction says so in a header; its summary is a root that does not train", async () => {
  bench.say("A", SUMMARY, "B");
  const first = [SYSTEM, user("Fix it")];
  const metadata = { "x-codex-turn-metadata": JSON.stringify({ request_kind: "compaction" }) };
  await ask(first);
  await ask([...first, said("A"), user("Summarise.")], { tools: null, headers: metadata });
  await ask([SYSTEM, user(`Another model started this. ${SUMMARY}`)]);
  const { calls, links, untrained } = await finish();
  expect(calls).toEqual(["main -", "compaction side-request", "main compaction"]);
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
    [{ role: "system", content: "You summarise." }, ...first.slice(1), said("A"), user("Sum up")],
    {
      tools: null,
    },
  );
  await ask([SYSTEM, user("What did we do so far?"), said(SUMMARY), user("Continue")]);
  const { calls, links, untrained } = await finish();
  expect(calls).toEqual(["main -", "side side-request", "main compaction"]);
  expect(links.at(-1)).toEqual([4, 3]);
  expect(untrained).toEqual(["side-request"]);
});
