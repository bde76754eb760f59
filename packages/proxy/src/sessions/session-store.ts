import { access, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { AppError } from "@liverl/contract/app-error";
import type {
  CompletedSession,
  CompleteSession,
  EnginePool,
  OpenSession,
} from "@liverl/contract/proxy-admin";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { isMissing, readJson, writeFileAtomic } from "@liverl/durable/atomic-file";
import { type Journal, openJournal } from "@liverl/durable/journal";
import type { Logger } from "pino";
import { PoolRegistry } from "#backends/pool-registry.ts";
import { FrozenIndex } from "#log/frozen-index.ts";
import { ProxyRecord } from "#log/records.ts";
import type { Admission } from "#sessions/admission.ts";
import { type AbortCause, Session } from "#sessions/session.ts";
import { REQUESTS_FILE, requestLines } from "#trajectory/requests-file.ts";
import { summariseTrajectory } from "#trajectory/summarise-trajectory.ts";

const SEGMENT_BYTES = 16 * 1024 * 1024;
/** After so many completions the journal is looked through for segments that nobody needs. */
const RETIRE_EVERY = 128;
/** An owner may still complete a session, with its reward, this long after it expired. */
const FORGOTTEN_AFTER_MS = 60 * 60_000;
/** A completion waits so long for an engine that scores a prompt. */
const SCORES_MAY_TAKE_MS = 10_000;
export const TRAJECTORY_FILE = "proxy_trajectory.json";

/** All sessions and pools, and the journal that they survive in. */
export class SessionStore {
  readonly pools = new PoolRegistry();
  readonly #journal: Journal;
  readonly #frozen: FrozenIndex;
  readonly #log: Logger;
  readonly #admission: Admission | null;
  readonly #live = new Map<string, Session>();
  readonly #completing = new Map<string, Promise<CompletedSession>>();
  /** Folders of sessions that are being opened, and whose they are. */
  readonly #opening = new Map<string, string>();
  #completions = 0;

  private constructor(
    journal: Journal,
    frozen: FrozenIndex,
    log: Logger,
    admission: Admission | null,
  ) {
    this.#journal = journal;
    this.#frozen = frozen;
    this.#log = log;
    this.#admission = admission;
  }

  /** Rebuilds what the journal in `directory` holds. Calls that began and did not end become `incomplete`. */
  static async open(
    directory: string,
    log: Logger,
    admission: Admission | null = null,
  ): Promise<SessionStore> {
    await mkdir(directory, { recursive: true });
    const journal = await openJournal({
      directory: join(directory, "journal"),
      maxSegmentBytes: SEGMENT_BYTES,
    });
    const frozen = await FrozenIndex.open(join(directory, "frozen.jsonl"));
    const store = new SessionStore(journal, frozen, log, admission);
    for await (const { seq, record } of journal.replay())
      store.#apply(ProxyRecord.parse(record), seq);
    await store.#finishFreezes();
    return store;
  }

  #apply(record: ProxyRecord, seq: number): void {
    if (record.t === "pool") {
      if (record.pool) this.pools.set(record.id, record.pool);
      else this.pools.delete(record.id);
      return;
    }
    if (record.t === "open") {
      if (this.#frozen.find(record.session.sessionId) === null)
        this.#live.set(record.session.sessionId, new Session(record.session, record.model, seq));
      return;
    }
    // Records of sessions that were completed long ago may outlive their opening.
    const session = this.#live.get(record.s);
    if (!session) return;
    if (record.t === "intent") session.recordIntent(record);
    else if (record.t === "commit") session.recordCommit(record);
    else if (record.t === "scores") session.recordScores(record);
    else if (record.t === "freeze") session.end = record.end;
    else this.#live.delete(record.s);
  }

  /** A crash between the freeze and the file: write the file now. */
  async #finishFreezes(): Promise<void> {
    for (const session of [...this.#live.values()]) {
      if (!session.end) continue;
      await this.#write(session, session.end).catch((error) =>
        this.#log.error({ err: error, session: session.id }, "trajectory not written"),
      );
    }
  }

  /** Durable once it resolves. What begins something has to be admitted; what ends something always may be written. */
  async append(record: ProxyRecord): Promise<{ seq: number }> {
    if (record.t === "intent") this.#admission?.admitCall();
    if (record.t === "open") this.#admission?.admitSession(this.#live.size);
    return this.#journal.append(record);
  }

  list(): Session[] {
    return [...this.#live.values()];
  }

  find(sessionId: string): Session | null {
    return this.#live.get(sessionId) ?? null;
  }

  /** Where the trajectory of a completed session lies; null for any other. */
  frozenPath(sessionId: string): string | null {
    return this.#frozen.find(sessionId);
  }

  isFrozen(sessionId: string): boolean {
    return this.#frozen.find(sessionId) !== null || this.#live.get(sessionId)?.end != null;
  }

  get(sessionId: string): Session {
    const session = this.#live.get(sessionId);
    if (!session)
      throw new AppError("NOT_FOUND", { userMessage: `There is no open session ${sessionId}.` });
    return session;
  }

  /** Loads and checks the pool's model before it is accepted; a pool that is known already waits for its first session. */
  async putPool(poolId: string, pool: EnginePool): Promise<void> {
    if (this.pools.has(poolId, pool)) return;
    await this.pools.loadRenderer(pool);
    await this.append({ t: "pool", id: poolId, pool });
    this.pools.set(poolId, pool);
  }

  async deletePool(poolId: string): Promise<void> {
    this.pools.get(poolId);
    await this.append({ t: "pool", id: poolId, pool: null });
    this.pools.delete(poolId);
  }

  /** Idempotent while the session is open and the request the same; else CONFLICT. */
  async openSession(open: OpenSession): Promise<Session> {
    if (this.isFrozen(open.sessionId))
      throw new AppError("CONFLICT", {
        userMessage: `Session ${open.sessionId} is complete: open one with another id.`,
      });
    const held = this.#live.get(open.sessionId);
    if (held) return sameOrConflict(held, open);
    this.#claimDirectory(open);
    try {
      return await this.#openNew(open);
    } finally {
      if (this.#opening.get(open.directory) === open.sessionId)
        this.#opening.delete(open.directory);
    }
  }

  async #openNew(open: OpenSession): Promise<Session> {
    if (await exists(join(open.directory, TRAJECTORY_FILE))) throw takenDirectory(open);
    const pool = this.pools.get(open.poolId);
    const model = { name: pool.config.modelName, ...(await pool.renderer()).identity };
    const { seq } = await this.append({ t: "open", session: open, model });
    // Two equal requests may have raced to here: the first one stands.
    const raced = this.#live.get(open.sessionId);
    if (raced) return sameOrConflict(raced, open);
    const session = new Session(open, model, seq);
    this.#live.set(open.sessionId, session);
    return session;
  }

  /** Two sessions in one folder would write one trajectory over the other. */
  #claimDirectory(open: OpenSession): void {
    const { directory, sessionId } = open;
    const opener = this.#opening.get(directory) ?? sessionId;
    if (opener !== sessionId || this.list().some((session) => session.open.directory === directory))
      throw takenDirectory(open);
    this.#opening.set(directory, sessionId);
  }

  async deleteSession(sessionId: string): Promise<void> {
    const session = this.get(sessionId);
    // What its turns still write comes before the deletion: after it, the id may be another session's.
    session.end ??= { reward: null, termination: "cancelled" };
    abortTurns(session, "frozen");
    await Promise.allSettled([...session.turns].map((turn) => turn.result));
    await this.append({ t: "delete", s: sessionId });
    this.#live.delete(sessionId);
    await session.scores.close(0);
  }

  /** Freezes, writes the trajectory, answers; a repeat gives the same answer. */
  completeSession(sessionId: string, end: CompleteSession): Promise<CompletedSession> {
    const running = this.#completing.get(sessionId);
    if (running) return running;
    const completing = this.#complete(sessionId, end).finally(() =>
      this.#completing.delete(sessionId),
    );
    this.#completing.set(sessionId, completing);
    return completing;
  }

  async #complete(sessionId: string, end: CompleteSession): Promise<CompletedSession> {
    const path = this.#frozen.find(sessionId);
    if (path !== null) {
      const trajectory = await readJson(path, ProxyTrajectory);
      if (trajectory) return summariseTrajectory(trajectory, path);
      throw new AppError("NOT_FOUND", {
        userMessage: `The trajectory of session ${sessionId} is gone from ${path}.`,
      });
    }
    const session = this.get(sessionId);
    const firstEnd = session.end ?? end;
    session.end = firstEnd;
    abortTurns(session, "frozen");
    await Promise.allSettled([...session.turns].map((turn) => turn.result));
    await session.scores.close(SCORES_MAY_TAKE_MS);
    await this.append({ t: "freeze", s: sessionId, end: firstEnd });
    return this.#write(session, firstEnd);
  }

  async #write(session: Session, end: CompleteSession): Promise<CompletedSession> {
    const trajectory = session.toTrajectory(end);
    const path = join(session.open.directory, TRAJECTORY_FILE);
    const requests = join(session.open.directory, REQUESTS_FILE);
    await writeInFolder(requests, requestLines(session.sentBodies()));
    await writeInFolder(path, JSON.stringify(trajectory));
    await this.#frozen.record(session.id, path);
    this.#live.delete(session.id);
    if (++this.#completions % RETIRE_EVERY === 0) {
      this.#retire().catch((error) => this.#log.error({ err: error }, "journal not shortened"));
    }
    return summariseTrajectory(trajectory, path);
  }

  /** Drops journal segments that hold only completed sessions; pools are written again first. */
  async #retire(): Promise<void> {
    const pools = this.pools.list();
    const appended = await Promise.all(
      pools.map(({ id, config }) => this.append({ t: "pool", id, pool: config })),
    );
    await this.#frozen.sync();
    const needed = [
      ...appended.map(({ seq }) => seq),
      ...this.list().map((session) => session.openSeq),
      this.#journal.lastSeq,
    ];
    await this.#journal.truncateBefore(Math.min(...needed));
  }

  /** Completes sessions whose owner forgot them, so that memory stays bounded. */
  async sweep(now: number): Promise<void> {
    const forgotten = this.list().filter(
      (session) => Date.parse(session.open.expiresAt) + FORGOTTEN_AFTER_MS < now,
    );
    for (const { id } of forgotten) {
      await this.completeSession(id, { reward: null, termination: "timeout" }).catch((error) =>
        this.#log.error({ err: error, session: id }, "expired session not completed"),
      );
    }
  }

  async close(): Promise<void> {
    await this.pools.close();
    await Promise.all(this.list().map(({ scores }) => scores.close(0)));
    await this.#journal.close();
    await this.#frozen.close();
  }
}

function takenDirectory({ directory }: OpenSession): AppError {
  return new AppError("CONFLICT", {
    userMessage: `directory: ${directory} is another session's. Leave it out, or name another.`,
  });
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Whoever opened the session made its folder, as a rule. */
async function writeInFolder(path: string, text: string): Promise<void> {
  await writeFileAtomic(path, text).catch(async (error) => {
    if (!isMissing(error)) throw error;
    await mkdir(dirname(path), { recursive: true });
    await writeFileAtomic(path, text);
  });
}

function sameOrConflict(held: Session, open: OpenSession): Session {
  if (isDeepStrictEqual(held.open, open)) return held;
  throw new AppError("CONFLICT", {
    userMessage: `Session ${open.sessionId} is open with other settings.`,
  });
}

function abortTurns(session: Session, cause: AbortCause): void {
  for (const turn of session.turns) turn.controller.abort(cause);
}
