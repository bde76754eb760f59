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

interface Sent {
  role: string;
  content: string | null;
  [field: string]: unknown;
}
const TOOLS = [{ type: "function", function: { name: "edit", parameters: { type: "object" } } }];
const SYSTEM: Sent = { role: "system", content: "You fix bugs." };
const user = (content: string): Sent => ({ role: "user", content });
const said = (content: string): Sent => ({ role: "assistant", content });
const call = (code: string) =>
  `<tool_call>\n{"name": "edit", "arguments": {"code": "${code}"}}\n</tool_call>`;
const ask = async (messages: Sent[], tools = true) => {
  const { status, body } = await postChat(session, { messages, ...(tools && { tools: TOOLS }) });
  expect(status).toBe(200);
  return body.choices[0]!.message as unknown as Sent;
};
const finish = async () => {
  const { trajectory } = await bench.complete(session.sessionId);
  return {
    trajectory,
    calls: trajectory.calls.map(({ kind, fork }) => `${kind} ${fork?.reason ?? "-"}`),
    untrained: trajectory.segments
      .filter(({ trainable }) => !trainable)
      .map(({ reason }) => reason),
    trained: trajectory.segments.flatMap(({ trainedNodes }) => trainedNodes).length,
  };
};

/** Two turns with tool calls, whose history a client then edits. */
async function playTools(): Promise<Sent[]> {
  bench.say(call("a"), call("b"), "third", "fourth");
  const history = [SYSTEM, user("What is here?")];
  for (const output of ["a.txt", "b.txt"]) {
    const turn = await ask(history);
    const [sent] = turn.tool_calls as { id: string }[];
    history.push(turn, { role: "tool", tool_call_id: sent!.id, content: output });
  }
  return history;
}

const change = (at: number, content: string) => (history: Sent[]) =>
  history.map((message, i) => (i === at ? { ...message, content } : message));
const insert = (at: number, message: Sent) => (history: Sent[]) =>
  history.toSpliced(at, 0, message);
const drop = (at: number, count: number) => (history: Sent[]) => history.toSpliced(at, count);

it.each<[string, (history: Sent[]) => Sent[], string]>([
  [
    "the first user message gets a suffix",
    change(1, "What is here? (12:01)"),
    "first-message-edited",
  ],
  [
    "the first user message gets a prefix",
    change(1, "[12:01] What is here?"),
    "first-message-edited",
  ],
  [
    "the first user message gets words inside",
    change(1, "What file is here?"),
    "first-message-edited",
  ],
  ["the first user message is another", change(1, "Look around."), "first-message-edited"],
  ["the first user message is empty", change(1, ""), "first-message-edited"],
  [
    "a repo map stands before the first message",
    insert(1, user("# Map\na.js")),
    "message-inserted",
  ],
  ["a message stands behind the first one", insert(2, user("# Map\na.js")), "message-inserted"],
  ["the system prompt gets a suffix", change(0, "You fix bugs. 12:01"), "system-changed"],
  [
    "system prompt and first message both change",
    (history) => change(1, "Look.")(change(0, "You look.")(history)),
    "system-changed",
  ],
  ["the first user message is dropped", drop(1, 1), "truncated"],
  ["the first message, turn and result are dropped", drop(1, 3), "truncated"],
  ["the first turn and its result are dropped", drop(2, 2), "assistant-edited"],
  ["the oldest tool result is cleared", change(3, "[cleared]"), "tool-result-edited"],
  [
    "the oldest tool result and the first message change",
    (history) => change(3, "[cleared]")(change(1, "Look.")(history)),
    "first-message-edited",
  ],
  [
    "the first message changes and the first turn and result are dropped",
    (history) => drop(2, 2)(change(1, "Look.")(history)),
    "first-message-edited",
  ],
  ["the last tool result changes", change(5, "c.txt"), "-"],
  ["the system prompt is dropped", drop(0, 1), "system-changed"],
])("turns with tool calls stay the agent's own when %s: %#", async (_, edit, reason) => {
  const history = await playTools();
  const edited = edit(history);
  const turn = await ask(edited);
  // What follows goes on from there.
  await ask([...edited, turn, user("go on")]);
  const { calls, untrained, trained } = await finish();
  expect(calls).toEqual(["main -", "main -", `main ${reason}`, "main -"]);
  expect(untrained).toEqual([]);
  expect(trained).toBe(4);
});

it.each([0, 1, 2, 17, 39, 40, 50])(
  "an answer of %i characters is known as the agent's own when the first message is edited",
  async (length) => {
    const answer = "The answer to it is that nothing at all is to be seen.".slice(0, length);
    bench.say(answer, "next", "last");
    await ask([SYSTEM, user("What is here?")]);
    const edited = [SYSTEM, user("What is here? (12:01)"), said(answer), user("Go on.")];
    const turn = await ask(edited);
    await ask([...edited, turn, user("more")]);
    const { calls, untrained, trained } = await finish();
    expect(calls).toEqual(["main -", "main first-message-edited", "main -"]);
    expect(untrained).toEqual([]);
    expect(trained).toBe(3);
  },
);

it("a first message that changes on every turn keeps the whole line in training", async () => {
  bench.say("one", "two", "three", "four", "five");
  const history: Sent[] = [SYSTEM, user("Fix it")];
  for (let minute = 0; minute < 5; minute++) {
    const turn = await ask(change(1, `Fix it at 12:0${minute}`)(history));
    history.push(turn, user("go on"));
  }
  const { calls, untrained, trained } = await finish();
  expect(calls).toEqual(["main -", ...Array(4).fill("main first-message-edited")]);
  expect(untrained).toEqual([]);
  expect(trained).toBe(5);
});

it("a turn that was discarded and asked for again with words added is the agent's own", async () => {
  bench.say("", "done");
  await ask([SYSTEM, user("Fix it")]);
  await ask([SYSTEM, user("Fix it\nPlease answer with a tool call.")]);
  expect((await finish()).calls).toEqual(["main -", "main first-message-edited"]);
});

it("a block of files that moves is named so, and is no compaction", async () => {
  const answer = "I changed the function in the file so that it adds instead of subtracting.";
  bench.say(answer, "two");
  const [files, task] = [user("# Files\na.js: 1 - 1"), user("Fix it")];
  await ask([SYSTEM, files, task]);
  await ask([SYSTEM, task, said(answer), files, user("And the other?")]);
  const { calls, untrained } = await finish();
  expect(calls).toEqual(["main -", "main message-moved"]);
  expect(untrained).toEqual([]);
});

it("an earlier message that changes later in the history is named", async () => {
  bench.say("one", "two", "three");
  const history = [SYSTEM, user("Fix it"), said("one"), user("at 12:00"), said("two"), user("on")];
  await ask(history.slice(0, 2));
  await ask(history.slice(0, 4));
  await ask(change(3, "at 12:01")(history));
  await ask(drop(3, 1)(history));
  const { calls, untrained } = await finish();
  expect(calls).toEqual(["main -", "main -", "main message-edited", "main message-dropped"]);
  expect(untrained).toEqual([]);
});

it.each([
  ["answers of their own", ["A", "B", "A on", "B on"]],
  ["equal answers", ["ok", "ok", "ok", "ok"]],
])("two clients with the same system prompt and %s are not glued together", async (_, answers) => {
  bench.say(...answers);
  const [one, two] = [
    [SYSTEM, user("Fix the parser")],
    [SYSTEM, user("Write the docs")],
  ];
  const first = await ask(one);
  const second = await ask(two);
  await ask([...one, first, user("more")]);
  const edited = [SYSTEM, user("Write the docs (12:01)"), second, user("more")];
  await ask(edited);
  const { calls, untrained } = await finish();
  // The second client edits its own first message: it stays what it was.
  expect(calls).toEqual(["main -", "subagent subagent", "main -", "subagent first-message-edited"]);
  expect(untrained).toEqual(["subagent", "subagent"]);
});

it("a shared first message, such as a client's environment, makes no two clients one", async () => {
  bench.say("A", "B");
  const environment = user("# Environment\nYou work in /w.");
  await ask([SYSTEM, environment, user("Fix the parser")]);
  await ask([SYSTEM, environment, user("Write the docs")]);
  expect((await finish()).calls).toEqual(["main -", "subagent subagent"]);
});

it("a history from elsewhere with one short turn in common is another client's", async () => {
  bench.say("Done.", "next");
  await ask([SYSTEM, user("Fix the parser")]);
  const foreign = ["I read.", "I wrote.", "Done."].flatMap((text) => [user("go"), said(text)]);
  await ask([SYSTEM, user("Write the docs"), ...foreign.slice(1), user("more")]);
  expect((await finish()).calls).toEqual(["main -", "subagent subagent"]);
});
