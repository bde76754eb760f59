import type {
  SampledOutside,
  SampleOutside,
  ScoredOutside,
  ScoreOutside,
} from "@liverl/contract/engine-question";
import type {
  CompletedSession,
  CompleteSession,
  CreateSession,
  EnginePool,
  OpenedSession,
  SessionFiles,
} from "@liverl/contract/proxy-admin";

/** A session as `GET /sessions` shows it: its settings, counts, and how it stands; alone it shows its calls, too. */
export type SessionView = { sessionId: string } & Record<string, unknown>;
export type PoolView = { id: string } & Record<string, unknown>;

/** What the admin port can be asked. One process does it by itself; the parent of several asks the one that can. */
export interface ProxyOperations {
  readonly state: "starting" | "ready" | "draining";
  /** Where agents go; the first worker's where there are several. Null while it is not known. */
  readonly agentUrl: string | null;
  putPool(poolId: string, pool: EnginePool): Promise<void>;
  deletePool(poolId: string): Promise<void>;
  listPools(): Promise<PoolView[]>;
  openSession(asked: CreateSession): Promise<OpenedSession>;
  listSessions(): Promise<SessionView[]>;
  getSession(sessionId: string): Promise<SessionView>;
  /** `outline`, `forks/<call>`, `calls/<call>` or `nodes/<first>` of an open session. */
  inspectSession(sessionId: string, aspect: string): Promise<unknown>;
  /** Drops an open session unrecorded; a completed one is gone from memory already and keeps its file. */
  deleteSession(sessionId: string): Promise<void>;
  completeSession(sessionId: string, end: CompleteSession): Promise<CompletedSession>;
  /** Of a completed session, for an owner on another machine. */
  readFiles(sessionId: string): Promise<SessionFiles>;
  dropFiles(sessionId: string): Promise<void>;
  /** A completion in no session: nothing of it is recorded. */
  sample(asked: SampleOutside, signal: AbortSignal): Promise<SampledOutside>;
  score(asked: ScoreOutside, signal: AbortSignal): Promise<ScoredOutside>;
  /** In Prometheus' text format. */
  metrics(): Promise<string>;
}
