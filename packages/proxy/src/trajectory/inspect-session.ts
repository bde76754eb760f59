import { AppError } from "@liverl/contract/app-error";
import {
  type CallDetail,
  type ForkDiff,
  SESSION_ASPECT,
  type SessionOutline,
  type SessionRecord,
} from "@liverl/contract/session-view";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { SentBody } from "#sessions/sent-body.ts";
import { callExchange } from "#trajectory/call-exchange.ts";
import { diffFork } from "#trajectory/diff-fork.ts";
import { outlineSession } from "#trajectory/outline-session.ts";

/** A session, live or from its files. */
export interface InspectedSession {
  trajectory: ProxyTrajectory;
  live: boolean;
  bodyOf: (callId: number) => SentBody | null;
}

/** Answers `outline`, `forks/<call>`, `calls/<call>` or `nodes/<first>`. Throws NOT_FOUND where there is no such thing. */
export function inspectSession(
  { trajectory, live, bodyOf }: InspectedSession,
  aspect: string,
): SessionOutline | SessionRecord | ForkDiff | CallDetail {
  const [known, kind, number] = SESSION_ASPECT.exec(aspect) ?? [];
  if (known === "outline") return outlineSession(trajectory, live);
  if (kind === "nodes") {
    const nodes = trajectory.nodes.filter(({ id }) => id >= Number(number));
    return { live, trajectory: { ...trajectory, nodes } };
  }
  const callId = Number(number);
  const found =
    kind === "forks" ? diffFork(trajectory, callId) : callDetail(trajectory, bodyOf, callId);
  if (found) return found;
  throw new AppError("NOT_FOUND", {
    userMessage: `Session ${trajectory.sessionId} has no ${aspect}.`,
  });
}

function callDetail(
  trajectory: ProxyTrajectory,
  bodyOf: InspectedSession["bodyOf"],
  callId: number,
): CallDetail | null {
  const call = trajectory.calls.find(({ id }) => id === callId);
  const exchange = callExchange(trajectory, bodyOf, callId);
  return call && exchange ? { ...exchange, call } : null;
}
