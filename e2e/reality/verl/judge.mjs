// What verl's own side wrote down (verl_cpu/spy.py) against what LiveRL handed to its trainer.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

function readLines(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return files.flatMap((name) =>
    readFileSync(join(folder, name), "utf8").trimEnd().split("\n").filter(Boolean).map(JSON.parse),
  );
}

const startsWith = (ids, prefix) => prefix.every((id, at) => ids[at] === id);

/**
 * Every trained token of every row is one that `server_manager.generate` returned, at its place behind exactly the prompt
 * that it was asked with, with its log-prob; and no returned token is lost between rows.
 */
export function judgeTokens(spyDir) {
  const lines = readLines(spyDir);
  const bySession = new Map();
  for (const turn of lines)
    if (turn.kind === "generated")
      bySession.set(turn.request, [...(bySession.get(turn.request) ?? []), turn]);
  const rows = lines.filter(({ kind }) => kind === "row");
  const faults = [];
  let trained = 0;
  for (const row of rows) {
    if (row.rollout === "") continue;
    const fault = judgeRow(row, turnsOf(bySession, row.rollout));
    if (fault) faults.push(`${row.rollout}: ${fault}`);
    trained += row.mask.reduce((sum, bit) => sum + bit, 0);
  }
  const standIns = rows.filter(({ rollout }) => rollout === "");
  return {
    rows: rows.length,
    standIns: standIns.length,
    standInsTrain: standIns.filter(({ mask }) => mask.includes(1)).length,
    turns: [...bySession.values()].reduce((sum, turns) => sum + turns.length, 0),
    trained,
    faults,
  };
}

/** Sessions are named after the rollout and its attempt. */
function turnsOf(bySession, rollout) {
  for (const [session, turns] of bySession)
    if (session.replace(/-a\d+$/, "") === rollout) return turns;
  return [];
}

function judgeRow({ prompt, ids, mask, logprobs, versions }, turns) {
  const all = [...prompt, ...ids];
  const covered = new Set();
  for (const turn of turns) {
    const at = turn.prompt.length;
    if (!startsWith(all, turn.prompt)) continue;
    const kept = all.slice(at, at + turn.ids.length);
    if (!startsWith(turn.ids, kept)) return `turn at ${at} holds other tokens than were returned`;
    for (const [i] of kept.entries()) {
      const place = at + i - prompt.length;
      if (place < 0 || mask[place] !== 1) return `returned token ${at + i} does not train`;
      if (logprobs[place] !== turn.logprobs[i]) return `log-prob of token ${at + i} is another`;
      covered.add(place);
    }
    if (turn.versions[0] < versions[0] || turn.versions[1] > versions[1])
      return `weights ${turn.versions} are not within ${versions}`;
  }
  const stray = mask.findIndex((bit, place) => bit === 1 && !covered.has(place));
  return stray === -1 ? null : `token ${prompt.length + stray} trains and nobody returned it`;
}

const EVERYWHERE = [
  "actor/grad_norm",
  "actor/lr",
  "actor/pg_loss",
  "actor/ppo_kl",
  "critic/rewards/mean",
  "critic/score/mean",
  "perf/throughput",
  "response_length/mean",
  "timing_s/step",
  "training/global_step",
];
const OF_MODE = {
  sync: ["rollout_corr/kl", "training/rollout_actor_probs_pearson_corr", "actor/entropy"],
  colocate_async: ["rollout_corr/kl", "training/off_policy/trajectory_staleness/mean"],
  separate_async: ["training/off_policy/trajectory_staleness/mean"],
  v0: [
    "rollout_corr/kl",
    "training/rollout_actor_probs_pearson_corr",
    "timing_s/agent_loop/generate_sequences/mean",
  ],
  one_step_off: [],
  fully_async: ["fully_async/trainer/idle_ratio", "fully_async/partial/partial_ratio"],
};
/** What LiveRL computes itself. */
const COMPUTED = ["group/zero_std_frac", "rollout/turns/mean"];

/** Keys that the mode should have and LiveRL has not. */
export function missingMetrics(mode, keys) {
  const known = new Set(keys);
  const wanted = [...EVERYWHERE, ...OF_MODE[mode], ...COMPUTED];
  return wanted.filter((key) => !known.has(key));
}
