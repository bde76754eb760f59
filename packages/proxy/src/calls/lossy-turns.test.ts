import type { OpenedSession } from "@liverl/contract/proxy-admin";
import type { SessionOutline } from "@liverl/contract/session-view";
import type { GivenNode, ProxyTrajectory } from "@liverl/contract/trajectory";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { ProxyBench, postChat } from "#testing/proxy-bench.ts";

let bench: ProxyBench;
beforeAll(async () => {
  bench = await ProxyBench.start();
});
afterAll(() => bench.stop());
beforeEach(() => {
  bench.engine.seen.length = 0;
  bench.engine.tellsVersion = true;
  bench.say("first", "second", "third", "fourth");
});

const user = (content: string) => ({ role: "user", content });
const said = (content: string) => ({ role: "assistant", content });
const EDITED = [user("Hi"), said("edited"), user("go on")];
const RECOMPUTED = { trains: ["main" as const, "recomputed" as const] };

const isScore = ({ request }: { request: { sampling_params: object } }) =>
  "prompt_logprobs" in request.sampling_params;
const scoreRequests = () => bench.engine.seen.filter(isScore);
const givenNodes = ({ nodes }: ProxyTrajectory) =>
  nodes.filter((node): node is GivenNode => node.kind === "given");
const lossyNode = (trajectory: ProxyTrajectory) =>
  givenNodes(trajectory).find(({ lossyTurns }) => lossyTurns)!;
const ask = async (session: OpenedSession, messages: object[]) =>
  expect((await postChat(session, { messages })).status).toBe(200);
const lossyOf = async ({ sessionId }: OpenedSession) =>
  (await bench.admin.getSession(sessionId)).lossy;
const scored = (session: OpenedSession, tokens: number) =>
  vi.waitFor(async () => expect(await lossyOf(session)).toMatchObject({ recomputed: tokens }));
const metric = async (name: string) => {
  const text = await bench.admin.metrics();
  const lines = text.split("\n").filter((line) => line.startsWith(`liverl_proxy_${name}`));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
};
const EDITED_TOKENS = "edited".length + 1;

it("an echoed turn that the client edited is known by its tokens, counted, and not trained", async () => {
  const [turns, tokens] = [await metric("lossy_turns_total"), await metric("lossy_tokens_total")];
  const session = await bench.openSession();
  await ask(session, [user("Hi")]);
  await ask(session, EDITED);
  expect(await lossyOf(session)).toEqual({
    ...{ turns: 1, tokens: EDITED_TOKENS, unlocated: 0, recomputed: 0 },
  });
  const outline = await bench.admin.inspectSession(session.sessionId, "outline");
  expect((outline as SessionOutline).nodes.flatMap(({ lossy }) => lossy ?? [])).toHaveLength(1);
  expect(await metric("lossy_turns_total")).toBe(turns + 1);
  expect(await metric("lossy_tokens_total")).toBe(tokens + EDITED_TOKENS);
  const { completed, trajectory } = await bench.complete(session.sessionId);
  const node = lossyNode(trajectory);
  const [[from, to]] = node.lossyTurns as [[number, number]];
  expect(bench.renderer.decode(node.tokenIds.slice(from, to))).toBe("edited<|im_end|>");
  expect(node.recomputed).toBeUndefined();
  expect(scoreRequests()).toHaveLength(0);
  for (const segment of completed.segments) {
    expect(segment.recomputed).toBeUndefined();
    expect(segment.mask.filter((bit) => bit === 1)).toHaveLength(segment.credit!.trainedTokens);
  }
});

it("an echoed turn that was sampled here is none, on whatever path it stands", async () => {
  const session = await bench.openSession();
  await ask(session, [user("Hi")]);
  await ask(session, [user("Hi"), said("first"), user("go on")]);
  await ask(session, [user("Other"), said("edited"), user("x"), said("second"), user("go on")]);
  const { trajectory } = await bench.complete(session.sessionId);
  const lossy = givenNodes(trajectory).map(({ lossyTurns }) => lossyTurns?.length ?? 0);
  expect(lossy).toEqual([0, 0, 1]);
  const node = lossyNode(trajectory);
  const [[from, to]] = node.lossyTurns as [[number, number]];
  expect(bench.renderer.decode(node.tokenIds.slice(from, to))).toBe("edited<|im_end|>");
});

it("behind sampled ids that were put in its place is where the tokens say", async () => {
  const session = await bench.openSession();
  await ask(session, [user("Hi")]);
  await ask(session, [user("Other"), said("first"), user("x"), said("edited"), user("go on")]);
  const { trajectory } = await bench.complete(session.sessionId);
  const node = lossyNode(trajectory);
  const [[from, to]] = node.lossyTurns as [[number, number]];
  expect(bench.renderer.decode(node.tokenIds.slice(from, to))).toBe("edited<|im_end|>");
});

it("is scored after the answer in a session that trains it, with the version that scored it", async () => {
  const session = await bench.openSession({
    ...RECOMPUTED,
    sampling: { temperature: 0.7, max_tokens: 99 },
  });
  await ask(session, [user("Hi")]);
  await ask(session, EDITED);
  await scored(session, EDITED_TOKENS);
  // Scores outlive the process, and are not asked for again.
  await bench.restart();
  await ask(session, [...EDITED, said("second"), user("and on")]);
  const { completed, trajectory } = await bench.complete(session.sessionId);
  expect(scoreRequests()).toHaveLength(1);
  const [asked] = scoreRequests();
  const node = lossyNode(trajectory);
  const [[from, to]] = node.lossyTurns as [[number, number]];
  expect(asked!.request.sampling_params.temperature).toBe(0.7);
  expect(asked!.request.token_ids).toEqual(node.tokenIds);
  const logprobs = node.tokenIds.map((id, at) => bench.engine.scoreOf(id, at)).slice(from, to);
  expect(node.recomputed).toEqual({
    ...{ requestId: asked!.request.request_id, temperature: 0.7, version: 1, logprobs },
  });
  const segment = completed.segments.find(({ recomputed }) => recomputed)!;
  const marked = segment.recomputed!.flatMap((bit, at) => (bit === 1 ? [at] : []));
  expect(marked).toEqual(Array.from({ length: to - from }, (_, i) => from + i));
  expect(marked.map((at) => segment.mask[at])).toEqual(logprobs.map(() => 1));
  expect(marked.map((at) => segment.logprobs[at])).toEqual(logprobs);
  expect(marked.map((at) => segment.policyVersions[at])).toEqual(logprobs.map(() => 1));
  expect(segment.mask.filter((bit) => bit === 1)).toHaveLength(segment.credit!.trainedTokens);
  expect(segment.mask[from - 1]).toBe(0);
  expect(segment.mask[to]).toBe(0);
});

it("trains once where the client gives it again on another branch", async () => {
  const session = await bench.openSession(RECOMPUTED);
  await ask(session, [user("Hi")]);
  await ask(session, EDITED);
  await ask(session, [...EDITED.slice(0, 2), user("otherwise")]);
  await scored(session, 2 * EDITED_TOKENS);
  const { completed, trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.calls.map(({ kind }) => kind)).toEqual(["main", "main", "main"]);
  const bits = completed.segments.flatMap(({ recomputed }) => recomputed ?? []);
  expect(bits.filter((bit) => bit === 1)).toHaveLength(EDITED_TOKENS);
});

it("is not scored for a call that does not train", async () => {
  const session = await bench.openSession(RECOMPUTED);
  await ask(session, [user("Hi")]);
  await ask(session, [user("Unlike"), said("edited"), user("go on")]);
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.calls.map(({ kind }) => kind)).toEqual(["main", "subagent"]);
  expect(scoreRequests()).toHaveLength(0);
});

it("a completion waits for the scores under way, and for no more than one request", async () => {
  const session = await bench.openSession(RECOMPUTED);
  await ask(session, [user("Hi")]);
  bench.scripts(({ sampling_params }) =>
    "prompt_logprobs" in sampling_params
      ? { ids: [], delayMs: 300 }
      : { ids: bench.turnIds("next") },
  );
  await ask(session, EDITED);
  await ask(session, [user("Hi"), said("other"), user("b")]);
  await ask(session, [user("Hi"), said("others"), user("d")]);
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.calls.every(({ kind }) => kind === "main")).toBe(true);
  const withScores = givenNodes(trajectory).filter(({ recomputed }) => recomputed);
  expect(withScores).toHaveLength(1);
  expect(scoreRequests()).toHaveLength(1);
});

it.each([
  ["refuses", { status: 400 }, 1],
  ["fails", { status: 503 }, 2],
])(
  "an engine that %s is asked once for each node, and the agent notices nothing",
  async (_, answer, asks) => {
    const session = await bench.openSession(RECOMPUTED);
    bench.scripts(({ sampling_params }) =>
      "prompt_logprobs" in sampling_params
        ? { ids: [], ...answer }
        : { ids: bench.turnIds("next") },
    );
    await ask(session, EDITED);
    await vi.waitFor(() => expect(scoreRequests()).toHaveLength(1));
    await ask(session, [...EDITED, said("next"), user("1")]);
    await ask(session, [...EDITED, said("next"), user("1"), said("new"), user("2")]);
    await vi.waitFor(() => expect(scoreRequests()).toHaveLength(asks));
    const { completed, trajectory } = await bench.complete(session.sessionId);
    expect(scoreRequests()).toHaveLength(asks);
    expect(givenNodes(trajectory).filter(({ recomputed }) => recomputed)).toEqual([]);
    expect(completed.segments.flatMap(({ recomputed }) => recomputed ?? [])).toEqual([]);
    expect(trajectory.calls.map(({ status }) => status)).toEqual(["done", "done", "done"]);
  },
);

it("a token without a log-prob stays untrained", async () => {
  bench.engine.scoreOf = (id) => (id === "d".charCodeAt(0) ? null : -1);
  const session = await bench.openSession(RECOMPUTED);
  await ask(session, EDITED);
  await scored(session, EDITED_TOKENS - 2);
  const { completed } = await bench.complete(session.sessionId);
  const [segment] = completed.segments;
  expect(segment!.recomputed!.filter((bit) => bit === 1)).toHaveLength(EDITED_TOKENS - 2);
  expect(segment!.mask.filter((bit) => bit === 1)).toHaveLength(segment!.credit!.trainedTokens);
});
