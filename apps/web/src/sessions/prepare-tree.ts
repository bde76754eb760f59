import type { CallOutline, NodeOutline, SessionOutline } from "@liverl/contract/session-view";
import type { CallKind, ForkReason } from "@liverl/contract/trajectory";

/** A run of tokens of one node and one weight version, at its distance from the root. */
export interface TreePart {
  nodeId: number;
  kind: "given" | "sampled";
  role: string;
  start: number;
  tokens: number;
  version: number | null;
  trained: boolean;
  callId: number | null;
  /** Tokens of it that the client wrote in the model's place. */
  lossy: number;
}

/** One line of the drawing: nodes that follow each other, from a root or a fork to a leaf. */
export interface TreeRow {
  /** Its first node. */
  id: number;
  index: number;
  /** The segment that its leaf ends: its number wherever the path is spoken of. Null where no segment ends in it. */
  segmentId: number | null;
  name: string;
  note: "root" | "new root" | "continues" | "not trained" | "no answer";
  isRoot: boolean;
  /** The node that a root was made from. */
  linkedFrom: number | null;
  /** The row that it leaves, at `start`; null for roots. */
  parent: number | null;
  /** Tokens from the root. */
  start: number;
  end: number;
  parts: TreePart[];
  fork: TreeFork | null;
}

export interface TreeFork {
  /** From 1, in the order of calls. */
  number: number;
  reason: ForkReason;
  call: CallOutline;
  row: number | null;
  outcome: "own root" | "out of training" | "trains once" | "no answer";
}

export interface PreparedTree {
  rows: TreeRow[];
  forks: TreeFork[];
  /** Row of each node. */
  rowOf: ReadonlyMap<number, number>;
  /** Weight versions that sampled, ascending. */
  versions: number[];
  /** Length of the longest path, tokens. */
  longest: number;
}

/** The tree as rows: the first node after another goes on in its row, each later one begins a new row. */
export function prepareTree({
  nodes,
  calls,
  segments,
}: Pick<SessionOutline, "nodes" | "calls" | "segments">): PreparedTree {
  const { rows, rowOf } = layRows(nodes);
  for (const { id, leafNodeId } of segments) {
    const row = rows[rowOf.get(leafNodeId) ?? -1];
    if (row) row.segmentId ??= id;
  }
  const forks = findForks(rows, calls);
  nameRows(rows, calls);
  for (const fork of forks)
    fork.outcome = outcomeOf(fork.row === null ? undefined : rows[fork.row]);
  const versions = new Set(
    rows.flatMap(({ parts }) => parts.flatMap((part) => part.version ?? [])),
  );
  return {
    ...{ rows, forks, rowOf },
    versions: [...versions].sort((a, b) => a - b),
    longest: rows.reduce((most, { end }) => Math.max(most, end), 0),
  };
}

function layRows(nodes: readonly NodeOutline[]) {
  const rows: TreeRow[] = [];
  const rowOf = new Map<number, number>();
  const endOf = new Map<number, number>();
  const tails = new Map<number, number>();
  for (const node of nodes) {
    const parentRow = node.parentId === null ? undefined : rowOf.get(node.parentId);
    const start = node.parentId === null ? 0 : (endOf.get(node.parentId) ?? 0);
    let row = parentRow === undefined ? undefined : rows[parentRow];
    if (!row || tails.get(row.index) !== node.parentId) {
      row = newRow(node, rows.length, parentRow ?? null, start);
      rows.push(row);
    }
    tails.set(row.index, node.id);
    rowOf.set(node.id, row.index);
    endOf.set(node.id, start + node.tokens);
    row.end = start + node.tokens;
    row.parts.push(...partsOf(node, start));
  }
  return { rows, rowOf };
}

function newRow(node: NodeOutline, index: number, parent: number | null, start: number): TreeRow {
  const isRoot = node.parentId === null;
  return {
    ...{ id: node.id, index, parent, start, isRoot, linkedFrom: node.linkedFrom },
    ...{ segmentId: null, name: "Main", note: "continues", end: start, parts: [], fork: null },
  };
}

function partsOf(node: NodeOutline, start: number): TreePart[] {
  const { id: nodeId, kind, role, trained, callId } = node;
  const common = { nodeId, kind, role, trained, callId, lossy: node.lossy?.tokens ?? 0 };
  if (kind === "given") return [{ ...common, start, tokens: node.tokens, version: null }];
  let at = start;
  return node.versions.map(([version, tokens]) => {
    const part = { ...common, start: at, tokens, version };
    at += tokens;
    return part;
  });
}

function findForks(rows: readonly TreeRow[], calls: readonly CallOutline[]): TreeFork[] {
  const byStart = new Map(rows.map((row) => [row.id, row]));
  const forks: TreeFork[] = [];
  for (const call of calls) {
    if (!call.fork) continue;
    const starts = [call.promptNodeId, call.sampledNodeId].map((id) => byStart.get(id ?? -1));
    const row = starts.find((one) => one && one.fork === null) ?? null;
    const fork: TreeFork = {
      number: forks.length + 1,
      reason: call.fork.reason,
      call,
      row: row?.index ?? null,
      outcome: "no answer",
    };
    if (row) row.fork = fork;
    forks.push(fork);
  }
  return forks;
}

function nameRows(rows: readonly TreeRow[], calls: readonly CallOutline[]): void {
  const first = firstCalls(calls);
  for (const row of rows) {
    const call = row.fork?.call ?? first.get(row.id);
    row.name = nameOf(call?.kind ?? "main", call?.subagent ?? null, row.fork?.reason ?? null);
    row.note = noteOf(row);
  }
}

/** The first call that ends at each node, with its prompt or its answer. */
function firstCalls(calls: readonly CallOutline[]): Map<number, CallOutline> {
  const first = new Map<number, CallOutline>();
  for (const call of calls)
    for (const id of [call.sampledNodeId, call.promptNodeId])
      if (id !== null && !first.has(id)) first.set(id, call);
  return first;
}

function noteOf({ parts, isRoot, index }: TreeRow): TreeRow["note"] {
  const sampled = parts.filter(({ kind }) => kind === "sampled");
  if (sampled.length === 0) return "no answer";
  if (!sampled.some(({ trained }) => trained)) return "not trained";
  if (!isRoot) return "continues";
  return index === 0 ? "root" : "new root";
}

function nameOf(kind: CallKind, subagent: string | null, reason: ForkReason | null): string {
  if (kind === "side") return "Side request";
  if (kind === "subagent") return subagent === null ? "Sub-agent" : `Sub-agent ${subagent}`;
  if (kind === "compaction") return "Compaction";
  if (reason === "compaction") return "After compaction";
  if (reason === "next-step") return "Next step";
  return reason === "resample" || reason === "retry-replay" ? "Again" : "Main";
}

function outcomeOf(row: TreeRow | undefined): TreeFork["outcome"] {
  if (!row || row.note === "no answer") return "no answer";
  if (row.note === "not trained") return "out of training";
  return row.isRoot ? "own root" : "trains once";
}
