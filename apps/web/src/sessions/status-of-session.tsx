import type { SessionOutline } from "@liverl/contract/session-view";
import type { DotKind } from "#ui/status-dot.tsx";
import { StatusWord } from "#ui/status-word.tsx";

const DOTS: Record<NonNullable<SessionOutline["termination"]>, DotKind> = {
  "agent-finished": "ok",
  timeout: "warn",
  "max-turns": "warn",
  "context-overflow": "warn",
  "agent-error": "bad",
  "infra-error": "bad",
  cancelled: "off",
};

/** Whether a session is live, and else how it ended. */
export function StatusWordOfSession({
  session: { live, termination, calls },
  isLost,
}: {
  session: SessionOutline;
  /** Whether the last try to renew it failed. */
  isLost: boolean;
}) {
  if (live && isLost)
    return (
      <StatusWord
        kind="warn"
        title="The trial runner does not answer; what you see is from before."
      >
        not renewed
      </StatusWord>
    );
  if (!live)
    return (
      <StatusWord kind={termination ? DOTS[termination] : "off"}>
        {termination ?? "over"}
      </StatusWord>
    );
  const inFlight = calls.filter(
    ({ endedAt, status }) => endedAt === null && status === "incomplete",
  ).length;
  return (
    <StatusWord kind={inFlight > 0 ? "run" : "stop"}>
      Live{inFlight > 0 ? `, ${inFlight} in flight` : ""}
    </StatusWord>
  );
}
