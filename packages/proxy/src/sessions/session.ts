import type { SessionProgress } from "@liverl/contract/live-rollout";
import type { CompleteSession, OpenSession } from "@liverl/contract/proxy-admin";
import {
  type Call,
  type GivenNode,
  type ProxyTrajectory,
  type RecomputedLogprobs,
  type SampledNode,
  type TemplateValues,
  TRAJECTORY_FORMAT,
} from "@liverl/contract/trajectory";
import type { CommittedTurn } from "#calls/committed-turn.ts";
import type { TurnListener } from "#calls/run-call.ts";
import type { SampledTokens } from "#calls/sampled-tokens.ts";
import type { ReadBody } from "#dialects/body/read-body.ts";
import type { LiveText } from "#dialects/dialect.ts";
import type { ToolDefinitions } from "#renderer/template-values.ts";
import { ScoreQueue } from "#sessions/score-queue.ts";
import type { SentBody } from "#sessions/sent-body.ts";
import type { InspectedSession } from "#trajectory/inspect-session.ts";
import { buildSegments } from "#tree/build-segments.ts";
import { keepOneSegment } from "#tree/keep-one-segment.ts";
import { SessionTree } from "#tree/session-tree.ts";

export interface CallEntry {
  call: Call;
  /** A pure function of dialect, subagent and body: a repeat of it may be a retry. */
  digest: string;
  body: SentBody | null;
  /** How its answer arrived at each client that it was sent to by this process. */
  answers: SentAnswer[];
}

/**
 * What a server can know of an answer's arrival. `whole`: the operating system took all of it, and the connection stayed.
 * `closed`: it took all of it, and the client closed the connection at once, read or not. `lost`: the connection broke before,
 * or was reset after, as a system does when bytes arrive that nobody will read.
 */
export type Receipt = "whole" | "closed" | "lost";

export interface SentAnswer {
  receipt: "sending" | Receipt;
}

/** A call that was answered. */
export interface AnsweredCall {
  entry: CallEntry;
  node: SampledNode;
  /** Of all the clients that it was sent to, the best. `lost` where no client of this process got it, as after a crash. */
  receipt: "sending" | Receipt;
  /** Whether a call goes on from it: then it was read. */
  isContinued: boolean;
}

/** Equal for values that mean the same; empty without any. */
export const templateKeyOf = (values: TemplateValues | undefined): string =>
  values === undefined
    ? ""
    : JSON.stringify(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));

const BEST_FIRST = ["whole", "sending", "closed"] as const;

/** A call that is being answered. Repeats of it wait for the same answer. */
export interface Turn {
  digest: string;
  controller: AbortController;
  /** Clients that still wait. */
  waiters: number;
  listeners: Set<TurnListener>;
  /** Null until the prompt is accepted. */
  call: Call | null;
  /** What has been said so far, where the session streams live. */
  said: LiveText[];
  result: Promise<CommittedTurn>;
}

export type AbortCause = "client-gone" | "frozen";

/** The proxy's side of one attempt: its tree and its calls, in memory until it is completed. */
export class Session {
  readonly open: OpenSession;
  readonly model: ProxyTrajectory["model"];
  /** Sequence number of the journal record that opened it. */
  readonly openSeq: number;
  readonly tree = new SessionTree();
  readonly calls = new Map<number, CallEntry>();
  readonly turns = new Set<Turn>();
  /** Tokens of the calls that engines answer now. */
  readonly sampling = new Set<SampledTokens>();
  /** Tool definitions by what they mean, so that one session renders them from one text. */
  readonly tools = new Map<string, ToolDefinitions | null>();
  /** Bodies to read the next one from: those of the calls before, newest first, of each dialect's list. */
  readonly bodies = new Map<string, ReadBody[]>();
  /** Engine requests that score turns which no engine sampled. */
  readonly scores = new ScoreQueue();
  /** Requests that cost work and left no call: they have a budget as large as that of the calls. */
  unrecorded = 0;
  end: CompleteSession | null = null;
  /** Url of the replica that served it last. */
  replica: string | null = null;
  #nextCallId = 0;

  constructor(open: OpenSession, model: ProxyTrajectory["model"], openSeq: number) {
    this.open = open;
    this.model = model;
    this.openSeq = openSeq;
  }

  get id(): string {
    return this.open.sessionId;
  }

  takeCallId(): number {
    return this.#nextCallId++;
  }

  /** A call began: as run-call does it, or as the journal tells. `keys`: those of the given node's messages. */
  recordIntent(
    {
      call,
      digest,
      toolsKey,
      given,
      body,
    }: {
      call: Call;
      digest: string;
      toolsKey: string;
      given: GivenNode | null;
      body: SentBody | null;
    },
    keys?: readonly string[],
  ): void {
    const { subagent, taskStep = null, kind } = call;
    const templateKey = templateKeyOf(call.templateValues);
    if (given) this.tree.add(given, { toolsKey, templateKey, subagent, taskStep, kind }, keys);
    this.calls.set(call.id, { call, digest, body, answers: [] });
    this.#nextCallId = Math.max(this.#nextCallId, call.id + 1);
  }

  recordCommit({ call, sampled }: { call: Call; sampled: SampledNode | null }): void {
    const { subagent, taskStep = null, kind } = call;
    if (sampled)
      this.tree.add(sampled, { toolsKey: "", templateKey: "", subagent, taskStep, kind });
    const entry = this.calls.get(call.id);
    if (entry) entry.call = call;
    else this.calls.set(call.id, { call, digest: "", body: null, answers: [] });
    this.#nextCallId = Math.max(this.#nextCallId, call.id + 1);
  }

  recordScores({ node, recomputed }: { node: number; recomputed: RecomputedLogprobs }): void {
    const place = this.tree.get(node);
    if (place.node.kind === "given") place.node = { ...place.node, recomputed };
  }

  /** Answered calls with this body, the newest first. */
  listAnswered(digest: string): AnsweredCall[] {
    const found: AnsweredCall[] = [];
    for (const entry of this.calls.values()) {
      const { status, sampledNodeId } = entry.call;
      if (entry.digest !== digest || status !== "done" || sampledNodeId === null) continue;
      const { node, children } = this.tree.get(sampledNodeId);
      if (node.kind !== "sampled") continue;
      const receipts = new Set(entry.answers.map(({ receipt }) => receipt));
      const receipt = BEST_FIRST.find((one) => receipts.has(one)) ?? "lost";
      found.push({ entry, node, receipt, isContinued: children.length > 0 });
    }
    return found.reverse();
  }

  /** What the clients sent, call by call. */
  sentBodies(): [callId: number, body: SentBody][] {
    return [...this.calls].flatMap(([id, { body }]) => (body ? [[id, body]] : []));
  }

  /** How far it has come, for those who watch many sessions. */
  progress(): SessionProgress {
    const { turns, sampled, given, lastMs, openMs } = this.#settled();
    let [inFlight, newestMs] = [0, lastMs];
    for (const { soFar, lastTokenMs } of this.sampling) {
      inFlight += soFar;
      newestMs = Math.max(newestMs, lastTokenMs ?? 0);
    }
    return {
      turns,
      tokensSampled: sampled + inFlight,
      tokensTotal: sampled + given + inFlight,
      isGenerating: this.sampling.size > 0,
      since: timeOf(this.sampling.size > 0 ? openMs : lastMs),
      lastSignAt: timeOf(newestMs),
    };
  }

  /** What calls and nodes on disk tell. */
  #settled() {
    let [turns, sampled, given, lastMs] = [0, 0, 0, 0];
    let openMs = Number.POSITIVE_INFINITY;
    for (const { call } of this.calls.values()) {
      if (call.kind === "main" && call.status === "done") turns += 1;
      lastMs = Math.max(lastMs, Date.parse(call.endedAt ?? call.startedAt));
      if (call.endedAt === null) openMs = Math.min(openMs, Date.parse(call.startedAt));
    }
    for (const { kind, tokenIds } of this.tree.nodes) {
      if (kind === "sampled") sampled += tokenIds.length;
      else given += tokenIds.length;
    }
    return { turns, sampled, given, lastMs, openMs };
  }

  /** As it is now; how it will end is not known. */
  inspected(): InspectedSession {
    return {
      trajectory: this.toTrajectory({ reward: null, termination: "agent-finished" }),
      live: true,
      bodyOf: (callId) => this.calls.get(callId)?.body ?? null,
    };
  }

  toTrajectory(end: CompleteSession): ProxyTrajectory {
    const { sessionId, rolloutId, attempt, runId, taskId, groupId, step, mode } = this.open;
    const nodes = this.tree.nodes;
    const calls = [...this.calls.values()].map((entry) => entry.call).sort((a, b) => a.id - b.id);
    const segments = buildSegments(nodes, calls, this.open.trains);
    return {
      format: TRAJECTORY_FORMAT,
      ...{ sessionId, rolloutId, attempt, runId, taskId, groupId, step, mode, model: this.model },
      nodes,
      calls,
      segments: this.open.outputs === "one" ? keepOneSegment(segments, calls) : segments,
      reward: end.reward,
      termination: end.termination,
    };
  }
}

const timeOf = (ms: number) => (ms > 0 && Number.isFinite(ms) ? new Date(ms).toISOString() : null);
