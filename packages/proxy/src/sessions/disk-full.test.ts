import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { OpenedSession } from "@liverl/contract/proxy-admin";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FrozenIndex } from "#log/frozen-index.ts";
import { ProxyBench, postChat } from "#testing/proxy-bench.ts";
import { canMount, SmallDisk } from "#testing/small-disk.ts";

if (!canMount) process.stderr.write("SKIPPED: a full disk is tested by root on Linux alone\n");

const user = (content: string) => ({ messages: [{ role: "user", content }] });
const patience = { timeout: 20_000, interval: 50 };

let disk: SmallDisk;
let bench: ProxyBench;
const start = async (minFreeDiskMb: number) => {
  bench = await ProxyBench.start({
    plan: { dataDir: disk.directory, limits: { minFreeDiskMb } },
  });
  bench.say("ok");
};

async function ask(session: OpenedSession, content: string): Promise<Response> {
  return fetch(`${session.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${session.apiKey}` },
    // As postChat sends it: a repeat has to have the same body.
    body: JSON.stringify({ model: "tiny", ...user(content) }),
  });
}

describe.skipIf(!canMount)("a full disk", () => {
  beforeEach(async () => {
    disk = await SmallDisk.mount(4);
  });
  afterEach(async () => {
    await bench.stop();
    await disk.unmount();
  });

  it("is noticed at the door: nothing new begins, what has begun ends, and it goes on by itself", async () => {
    await start(1);
    const session = await bench.openSession();
    const other = await bench.openSession();
    expect((await ask(session, "before")).status).toBe(200);
    bench.scripts(() => ({ ids: bench.turnIds("ended on the reserve"), delayMs: 120 }));
    const slow = ask(other, "slow");
    await vi.waitFor(() => expect(bench.engine.seen).toHaveLength(2), patience);

    await disk.fill({ leaveBytes: 512 * 1024 });
    await vi.waitFor(async () => {
      expect((await ask(session, "during")).status).toBe(503);
    }, patience);
    const refused = await ask(session, "during");
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.text()).toContain("disk");
    await expect(bench.openSession()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    const seen = bench.engine.seen.length;
    expect((await slow).status).toBe(200);
    expect((await bench.complete(other.sessionId)).trajectory.calls).toMatchObject([
      { status: "done" },
    ]);
    expect(bench.engine.seen).toHaveLength(seen);

    bench.say("ok");
    await disk.free();
    await vi.waitFor(async () => {
      expect((await ask(session, "after")).status).toBe(200);
    }, patience);
    await bench.openSession();
    const { trajectory } = await bench.complete(session.sessionId);
    expect(trajectory.calls.map(({ status }) => status)).not.toContain("error");
  });

  it("to its last byte loses nothing that was answered, and answers again once there is room", async () => {
    await start(0);
    const session = await bench.openSession();
    const ended = await bench.openSession();
    await ask(ended, "an answer that stays");
    const answered: string[] = [];
    bench.scripts((_, index) => ({ ids: bench.turnIds(`answer ${index} ${"x".repeat(100)}`) }));
    await disk.fill();
    const statuses: number[] = [];
    // The journal's last block has some room left; at last an intent or a turn does not fit.
    for (let i = 0; i < 40; i++) {
      const { status, body } = await postChat(session, user(`question ${i} ${"y".repeat(400)}`));
      statuses.push(status);
      if (status === 200) answered.push(body.choices[0]!.message.content ?? "");
    }
    expect(new Set(statuses.filter((status) => status !== 200))).toEqual(new Set([503]));
    expect(statuses.at(-1)).toBe(503);
    const end = { reward: { reward: 1 }, termination: "agent-finished" } as const;
    await expect(bench.admin.completeSession(ended.sessionId, end)).rejects.toMatchObject({
      code: "UNAVAILABLE",
    });
    await bench.restart();
    await disk.free();
    expect((await bench.complete(ended.sessionId, end)).trajectory).toMatchObject({
      calls: [{ status: "done" }],
      ...end,
    });
    const more = await postChat(session, user("once there is room"));
    expect(more.status).toBe(200);
    answered.push(more.body.choices[0]!.message.content ?? "");
    await bench.restart();
    const { trajectory } = await bench.complete(session.sessionId);
    const kept = trajectory.nodes.flatMap((node) =>
      node.kind === "sampled" ? [String(node.message.content)] : [],
    );
    expect(kept).toEqual(answered);
  });

  it("in the middle of a call answers 503, and the same call is sampled again when there is room", async () => {
    await start(0);
    const session = await bench.openSession({ sampling: { temperature: 1, max_tokens: 1000 } });
    // More than the journal's last block can have room for; slow enough that the disk is full first.
    const long = "z".repeat(900);
    bench.scripts(() => ({ ids: bench.turnIds(long), idsPerChunk: 300, delayMs: 1_500 }));
    const cut = ask(session, "q");
    await vi.waitFor(() => expect(bench.engine.seen).toHaveLength(1), patience);
    await disk.fill();
    expect((await cut).status).toBe(503);
    bench.say("second");
    await disk.free();
    const again = await postChat(session, user("q"), {
      headers: { "x-stainless-retry-count": "1" },
    });
    expect(again.body.choices[0]!.message.content).toBe("second");
    const { trajectory } = await bench.complete(session.sessionId);
    expect(trajectory.calls.filter(({ status }) => status === "done")).toHaveLength(1);
  });

  it("leaves no torn line that swallows the next in the list of completed sessions", async () => {
    await start(0);
    const path = join(disk.directory, "list.jsonl");
    const list = await FrozenIndex.open(path);
    await disk.fill();
    const far = (i: number) => `/${"long/".repeat(300)}${i}`;
    let refused = 0;
    for (let i = 0; i < 8; i++) await list.record(`full-${i}`, far(i)).catch(() => refused++);
    expect(refused).toBeGreaterThan(0);
    await disk.free();
    await list.record("after", "/after");
    await list.close();
    expect(await readFile(path, "utf8")).toContain("after");
    const read = await FrozenIndex.read(path);
    expect(read.get("after")).toBe("/after");
    expect(read.size).toBe(8 - refused + 1);
  });
});
