import { join } from "node:path";
import { CallDetail, ForkDiff, SessionOutline, SessionRecord } from "@liverl/contract/session-view";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { readJson } from "@liverl/durable/atomic-file";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ProxyBench, postChat } from "#testing/proxy-bench.ts";
import { inspectSession } from "#trajectory/inspect-session.ts";
import { REQUESTS_FILE, readRequests } from "#trajectory/requests-file.ts";

let bench: ProxyBench;
beforeAll(async () => {
  bench = await ProxyBench.start();
});
afterAll(() => bench.stop());

const user = (content: string) => ({ role: "user", content });
const said = (content: string) => ({ role: "assistant", content });

async function ask(path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${bench.proxy.adminUrl}/sessions/${path}`, {
    headers: { authorization: `Bearer ${bench.proxy.adminToken}` },
  });
  return { status: response.status, body: await response.json() };
}

/** Two turns, then the first answer edited. */
async function forkedSession() {
  bench.say("First answer", "Second answer", "Third answer");
  const session = await bench.openSession();
  const opening = [{ role: "system", content: "You help." }, user("One")];
  await postChat(session, { messages: opening });
  await postChat(session, { messages: [...opening, said("First answer"), user("Two")] });
  await postChat(session, { messages: [...opening, said("First reply"), user("Two")] });
  return session;
}

it("tells of a live session what its files tell once it is over", async () => {
  const { sessionId } = await forkedSession();
  const live = SessionOutline.parse((await ask(`${sessionId}/outline`)).body);
  const aspects = ["forks/2", "calls/1"];
  const before = await Promise.all(aspects.map((aspect) => ask(`${sessionId}/${aspect}`)));
  const record = SessionRecord.parse((await ask(`${sessionId}/nodes/2`)).body);
  const { completed, trajectory } = await bench.complete(sessionId);
  const bodies = await readRequests(join(completed.path, "..", REQUESTS_FILE));
  const session = { trajectory, live: false, bodyOf: (id: number) => bodies.get(id) ?? null };
  expect(live).toMatchObject({ live: true, reward: null, termination: null });
  expect(inspectSession(session, "outline")).toEqual({
    ...live,
    live: false,
    reward: { reward: 1 },
    termination: "agent-finished",
  });
  for (const [i, aspect] of aspects.entries())
    expect(inspectSession(session, aspect)).toEqual(before[i]?.body);
  const kept = await readJson(completed.path, ProxyTrajectory);
  // Nodes from an id on, for who has those before it; the rest is told whole.
  expect(record.live).toBe(true);
  expect(record.trajectory.nodes).toEqual(kept?.nodes.filter(({ id }) => id >= 2));
  expect(record.trajectory.segments).toEqual(kept?.segments);
  expect(live.nodes.map(({ tokens }) => tokens)).toEqual(
    kept?.nodes.map(({ tokenIds }) => tokenIds.length),
  );
  expect(live.segments.map(({ tokens, trainedTokens }) => [tokens > 0, trainedTokens > 0])).toEqual(
    [
      [true, true],
      [true, true],
    ],
  );
});

it("shows a fork at the first token that differs, and the words that were changed", async () => {
  const { sessionId } = await forkedSession();
  const fork = ForkDiff.parse((await ask(`${sessionId}/forks/2`)).body);
  const { trajectory } = await bench.complete(sessionId);
  const ids = (leaf: number | null) => {
    const path: number[][] = [];
    for (let at = leaf; at !== null; at = trajectory.nodes.find(({ id }) => id === at)!.parentId)
      path.unshift(trajectory.nodes.find(({ id }) => id === at)!.tokenIds);
    return path.flat();
  };
  const [, second, third] = trajectory.calls;
  const stored = ids(second!.sampledNodeId);
  const asked = ids(third!.sampledNodeId);
  const differs = asked.findIndex((id, i) => id !== stored[i]);
  expect(fork.position).toBe(differs);
  expect(fork.stored?.ids).toEqual(stored.slice(differs, differs + 96));
  expect(fork.asked.ids).toEqual(asked.slice(differs, differs + 96));
  expect(fork.shared).toEqual(asked.slice(differs - 8, differs));
  const changed = (side: ForkDiff["asked"] | null) =>
    side?.messages.map(({ number, role, changed: words }) => [number, role, words]);
  expect(changed(fork.stored)).toEqual([
    [2, "user", ""],
    [3, "assistant", "answer"],
    [4, "user", ""],
    [5, "assistant", ""],
  ]);
  expect(changed(fork.asked)).toEqual([
    [2, "user", ""],
    [3, "assistant", "reply"],
    [4, "user", ""],
    [5, "assistant", ""],
  ]);
});

it("sets the two answers to one prompt side by side", async () => {
  bench.say("left", "right");
  const session = await bench.openSession();
  const messages = [user("Choose")];
  await postChat(session, { messages });
  await postChat(session, { messages });
  const fork = ForkDiff.parse((await ask(`${session.sessionId}/forks/1`)).body);
  expect(fork.stored?.ids).toEqual(bench.turnIds("left"));
  expect(fork.asked.ids).toEqual(bench.turnIds("right"));
  expect(fork).toMatchObject({ position: fork.promptTokens, sampledBefore: 0 });
});

it("gives a live call's own bytes, and says 404 for what is not there", async () => {
  const { sessionId } = await forkedSession();
  const call = CallDetail.parse((await ask(`${sessionId}/calls/0`)).body);
  expect(JSON.parse(call.request ?? "")).toMatchObject({
    messages: [{ role: "system" }, user("One")],
  });
  expect(call.response).toContain("First answer");
  for (const path of ["calls/9", "forks/9", "calls/-1", "tokens"])
    expect((await ask(`${sessionId}/${path}`)).status, path).toBe(404);
  expect((await ask("nobody/outline")).status).toBe(404);
});
