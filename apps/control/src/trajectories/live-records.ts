import { AppError } from "@liverl/contract/app-error";
import { SessionRecord } from "@liverl/contract/session-view";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { Context } from "#context.ts";

/** What is older is asked for again; pages renew themselves less often. */
const FRESH_MS = 1_000;
const KEPT = 8;
/** Ids are taken before nodes come to be, so one that is lower may come a little later. */
const OVERLAP = 16;

interface LiveRecord {
  record: SessionRecord | null;
  askedAt: number;
  answer: Promise<SessionRecord | null>;
}
/** Of the sessions that were looked at last, the newest at the end. */
const records = new Map<string, LiveRecord>();

/** A session that is under way, with every token so far; only new nodes travel. Null where it has not begun. */
export async function readLiveRecord(
  runner: Pick<Context["runner"], "inspectSession">,
  sessionId: string,
): Promise<SessionRecord | null> {
  const known = records.get(sessionId);
  if (known && Date.now() - known.askedAt < FRESH_MS) return known.answer;
  const entry: LiveRecord = {
    record: known?.record ?? null,
    askedAt: Date.now(),
    answer: renew(runner, sessionId, known?.record ?? null),
  };
  records.delete(sessionId);
  records.set(sessionId, entry);
  for (const old of [...records.keys()].slice(0, -KEPT)) records.delete(old);
  try {
    entry.record = await entry.answer;
    return entry.record;
  } catch (error) {
    // The next one asks anew.
    if (records.get(sessionId) === entry) records.delete(sessionId);
    throw error;
  }
}

async function renew(
  runner: Pick<Context["runner"], "inspectSession">,
  sessionId: string,
  known: SessionRecord | null,
): Promise<SessionRecord | null> {
  const last = known?.trajectory.nodes.at(-1)?.id ?? -1;
  const from = Math.max(0, last + 1 - OVERLAP);
  const ask = async (first: number) => {
    const answer = await runner.inspectSession(sessionId, `nodes/${first}`);
    return SessionRecord.parse(answer);
  };
  try {
    const next = await ask(from);
    const whole = known ? { ...next, trajectory: join(known.trajectory, next.trajectory) } : next;
    return isWhole(whole.trajectory) ? whole : await ask(0);
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND") return null;
    throw error;
  }
}

function join(known: ProxyTrajectory, next: ProxyTrajectory): ProxyTrajectory {
  const first = next.nodes[0]?.id ?? Number.POSITIVE_INFINITY;
  return { ...next, nodes: [...known.nodes.filter(({ id }) => id < first), ...next.nodes] };
}

function isWhole({ nodes, segments }: ProxyTrajectory): boolean {
  const ids = new Set(nodes.map(({ id }) => id));
  return segments.every(({ path }) => path.every((id) => ids.has(id)));
}
