// A long rollout in the product's own format, made of a real one: turns of a coding agent's length are put together from the
// turns that the engine sampled, with their ids, log-probs and versions, so that the page has nothing to guess.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Tokens of a coding agent's turn, and of the tool's answer to it. */
const SAMPLED = 300;
const ANSWERED = 574;
/** One answer is a long file, of which a page shows the beginning. */
const LONG_ANSWER = 8_192;

/** Where the trial of a session left its record. */
export function recordPath(dataDir, sessionId) {
  const root = join(dataDir, "harbor_trials");
  const found = readdirSync(root, { recursive: true }).find((path) =>
    path.endsWith(join(sessionId, "proxy_trajectory.json")),
  );
  return found === undefined ? null : join(root, found);
}

/** Rewrites a record as one of at least `tokens` tokens; tells how many it has, in how many turns. */
export function stretchRecord(path, tokens) {
  const record = JSON.parse(readFileSync(path, "utf8"));
  const byId = new Map(record.nodes.map((node) => [node.id, node]));
  const [head] = record.segments;
  const path0 = head.path.map((id) => byId.get(id));
  const sampledOf = path0.filter(({ kind }) => kind === "sampled");
  const answers = path0.filter(({ kind, role }) => kind === "given" && role === "tool");
  const [system] = path0;
  if (sampledOf.length === 0) throw new Error(`${path} has no sampled turn`);
  const nodes = [{ ...system, id: 0, parentId: null }];
  const calls = [];
  const [firstCall] = record.calls;
  const begin = Date.parse(firstCall.startedAt);
  let count = system.tokenIds.length;
  for (let turn = 0; count < tokens; turn += 1) {
    const source = sampledOf[turn % sampledOf.length];
    const times = Math.max(
      1,
      Math.ceil(Math.min(SAMPLED, tokens - count) / source.tokenIds.length),
    );
    const id = nodes.length;
    nodes.push({
      ...source,
      ...{ id, parentId: id - 1, callId: turn },
      tokenIds: repeat(source.tokenIds, times),
      logprobs: repeat(source.logprobs, times),
      policyVersions: repeat(source.policyVersions, times),
    });
    calls.push({
      ...firstCall,
      ...{ id: turn, promptNodeId: id - 1, sampledNodeId: id },
      startedAt: new Date(begin + turn * 3_000).toISOString(),
      endedAt: new Date(begin + turn * 3_000 + 2_000).toISOString(),
    });
    count += nodes[id].tokenIds.length;
    const answer = answers[turn % Math.max(1, answers.length)] ?? system;
    const wanted = Math.min(turn === 2 ? LONG_ANSWER : ANSWERED, tokens - count);
    if (wanted <= 0) break;
    const parts = Math.max(1, Math.ceil(wanted / answer.tokenIds.length));
    const text = String(answer.message.content ?? "an answer");
    nodes.push({
      ...answer,
      ...{ id: id + 1, parentId: id, role: "tool" },
      message: {
        ...{ role: "tool", tool_call_id: source.message.tool_calls?.[0]?.id ?? `t${turn}` },
        content: Array.from({ length: parts }, (_, line) => `${line + 1} ${text}`).join("\n"),
      },
      tokenIds: repeat(answer.tokenIds, parts),
    });
    count += nodes[id + 1].tokenIds.length;
  }
  const trainedNodes = nodes.filter(({ kind }) => kind === "sampled").map(({ id }) => id);
  const segments = [{ ...head, id: 0, path: nodes.map(({ id }) => id), trainedNodes }];
  writeFileSync(path, JSON.stringify({ ...record, nodes, calls, segments }));
  return { tokens: count, turns: trainedNodes.length, nodes: nodes.length };
}

const repeat = (values, times) => Array.from({ length: times }, () => values).flat();
