// What a turn through the proxy costs when the engine costs nothing, beside other proxies in the same run and on the same load:
// 1, 8 and 32 agents of 50 turns each, 4.8 KB a turn, chats that grow to about 60k tokens. Ours parses, tokenises and has each turn
// on disk before it answers. `direct` is the same client straight at the engine. Two forms of text: one sentence over and over, and real code
// and prose that never comes again. `--peers=a,b` chooses (all; `--peers=` none), `--sessions=1,8,32`, `--turns N`, `--rounds N` (medians over so many).
// Prints one JSON object last; exit 0 only when every goal holds.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { quantile, report, say, spinMs } from "./liverl.mjs";
import { PEERS, startPeer } from "./peers/peers.mjs";
import { makeDirectory, ProxyProcess, removeDirectory, startEngine } from "./proxy-process.mjs";

const { values } = parseArgs({
  options: {
    peers: { type: "string", default: Object.keys(PEERS).join(",") },
    sessions: { type: "string", default: "1,8,32" },
    turns: { type: "string", default: "50" },
    rounds: { type: "string", default: "3" },
    json: { type: "boolean" },
  },
});
const TURNS = Number(values.turns);
const ROUNDS = Number(values.rounds);
const BYTES = 4800;
const SESSIONS = values.sessions.split(",").map(Number);
const FORMS = ["repeating", "realistic"];
const LIMIT_MS = 300_000;
const unknown = values.peers.split(",").find((name) => name !== "" && !(name in PEERS));
if (unknown) {
  say(`There is no peer ${unknown}: ${Object.keys(PEERS).join(", ")}.`);
  process.exit(2);
}

let opened = 0;
/** One load on a server: what bench/load.mjs prints, with the longest stall where the server tells it. */
async function load(server, sessions, form, turns = TURNS) {
  const names = Array.from({ length: sessions }, () => `load-${opened++}`);
  const child = spawn(process.execPath, [fileURLToPath(new URL("load.mjs", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const plan = { turns, bytes: BYTES, form, limitMs: LIMIT_MS, pid: server.pid };
  await server.longestStallMs?.();
  child.stdin.end(
    JSON.stringify({ ...plan, sessions: await Promise.all(names.map(server.sessionOf)) }),
  );
  const measured = JSON.parse(await text(child.stdout));
  const stallMs = (await server.longestStallMs?.()) ?? null;
  for (const name of names) await server.forget?.(name);
  const endStallMs = (await server.longestStallMs?.()) ?? null;
  return { ...measured, stallMs, endStallMs };
}

/** Medians over rounds of each figure; memory from the first round's begin to the last one's end. */
function medians(rounds) {
  const [first] = rounds;
  const last = rounds.at(-1);
  const figures = Object.entries(first).filter(([, value]) => typeof value === "number");
  return {
    ...Object.fromEntries(
      figures.map(([key]) => [
        key,
        quantile(
          rounds.map((round) => round[key]),
          0.5,
        ),
      ]),
    ),
    failed: rounds.reduce((sum, round) => sum + round.failed, 0),
    errors: Object.assign({}, ...rounds.map((round) => round.errors)),
    worstStallMs: first.stallMs === null ? null : Math.max(...rounds.map((round) => round.stallMs)),
    rssMb: [first.rssMb[0], last.rssMb[1]],
  };
}

/** `{"8": {realistic: figures}}` of one server, and how slow the machine was before, between and after (ms for a fixed piece of work). */
async function measure(name, server) {
  // What is measured is a server that has run for a while: compiled, its caches filled.
  await load(server, 8, "realistic");
  const measured = { spinMs: [spinMs()] };
  for (const sessions of SESSIONS) {
    measured[sessions] = {};
    for (const form of FORMS) {
      const rounds = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push(await load(server, sessions, form));
      const figures = medians(rounds);
      measured[sessions][form] = figures;
      say(
        `${name}, ${sessions} × ${TURNS}, ${form}: ${figures.turnsPerSecond} turns/s, ${figures.cpuMsPerTurn} ms CPU, ` +
          `p50 ${figures.p50} p95 ${figures.p95} p99 ${figures.p99} ms, ${figures.p50First5Turns} → ${figures.p50Last5Turns} ms` +
          `${figures.worstStallMs === null ? "" : `, stall ${figures.stallMs} (worst ${figures.worstStallMs}), at the end ${figures.endStallMs} ms`}` +
          `${figures.failed > 0 ? `, FAILED ${JSON.stringify(figures.errors)}` : ""}`,
      );
    }
    measured.spinMs.push(spinMs());
  }
  say(`${name}: the machine's own measure was ${measured.spinMs.join(", ")} ms`);
  return measured;
}

const directory = makeDirectory();
const engine = await startEngine(directory);
const direct = await measure("direct", {
  pid: engine.pid,
  sessionOf: (name) => ({ name, url: `${engine.url}/v1`, key: "none" }),
});

const proxy = new ProxyProcess(directory);
await proxy.start();
await proxy.putPool(engine.url);
const ours = await measure("liverl", {
  pid: proxy.pid,
  sessionOf: (name) => proxy.openSession(name),
  longestStallMs: () => proxy.longestStallMs(),
  forget: (name) => proxy.completeSession(name),
});
await proxy.stop();

const peers = {};
for (const name of values.peers.split(",").filter(Boolean)) {
  const peer = await startPeer(name, engine.url);
  if (peer.why) {
    say(`SKIPPED ${name}: ${peer.why}`);
    peers[name] = { skipped: peer.why };
    continue;
  }
  peers[name] = await measure(name, peer);
  peer.stop();
}
engine.stop();
removeDirectory(directory);

const added = (of, sessions, form, key) =>
  Number((of[sessions][form][key] - direct[sessions][form][key]).toFixed(2));
const growth = (sessions, form) =>
  Number(
    (
      added(ours, sessions, form, "p50Last5Turns") - added(ours, sessions, form, "p50First5Turns")
    ).toFixed(2),
  );
const goals = [];
const atMost = (what, value, goal) =>
  goals.push({ what, value, goal: `≤ ${goal}`, ok: value <= goal });
const atLeast = (what, value, goal) =>
  goals.push({ what, value: Number(value.toFixed(2)), goal: `≥ ${goal}`, ok: value >= goal });

for (const form of FORMS) {
  const complete = SESSIONS.every(
    (n) => ours[n][form].turns === n * TURNS && ours[n][form].failed === 0,
  );
  goals.push({ what: `every turn answered, ${form}`, value: complete, goal: "true", ok: complete });
  for (const sessions of SESSIONS.filter((count) => count > 1)) {
    const at = `${sessions} sessions, ${form}`;
    const mine = ours[sessions][form];
    atMost(`server CPU ms a turn, ${at}`, mine.cpuMsPerTurn, 2);
    atMost(`longest event-loop stall ms, ${at}`, mine.stallMs, 20);
    atMost(`longest stall ms while sessions are completed, ${at}`, mine.endStallMs, 20);
    for (const [name, theirs] of Object.entries(peers)) {
      if (theirs.skipped) continue;
      const { times, captures } = PEERS[name];
      const peer = theirs[sessions][form];
      atLeast(`turns/s, times ${name}'s, ${at}`, mine.turnsPerSecond / peer.turnsPerSecond, times);
      if (captures)
        atLeast(
          `${name}'s server CPU, times ours, ${at}`,
          peer.cpuMsPerTurn / mine.cpuMsPerTurn,
          4,
        );
    }
  }
  if (!SESSIONS.includes(1)) continue;
  atMost(`one session's p50 ms over the engine, ${form}`, added(ours, 1, form, "p50"), 5);
  atMost(`one session's added ms, last 5 turns − first 5, ${form}`, growth(1, form), 3);
}
for (const { what, value, goal, ok } of goals)
  say(`${ok ? "ok    " : "SHORT "} ${what}: ${value} (${goal})`);

const ownFigures = Object.fromEntries(
  SESSIONS.map((sessions) => [
    sessions,
    Object.fromEntries(
      FORMS.map((form) => [
        form,
        {
          ...ours[sessions][form],
          addedMs: Object.fromEntries(
            ["p50", "p95", "p99"].map((key) => [key, added(ours, sessions, form, key)]),
          ),
          addedLast5MinusFirst5Ms: growth(sessions, form),
        },
      ]),
    ),
  ]),
);
report("proxy", {
  ok: goals.every(({ ok }) => ok),
  figures: {
    bytesPerTurn: BYTES,
    turns: TURNS,
    rounds: ROUNDS,
    goals,
    liverl: { ...ownFigures, spinMs: ours.spinMs },
  },
  peers: { direct, ...peers },
});
