import { PhaseRecord, SandboxPhase } from "@liverl/contract/rollout";
import type { TrajectoryView } from "@liverl/contract/views";
import type { Rollout } from "@liverl/prisma/client";
import { parseJson } from "#trajectories/parse-json.ts";

type Phase = TrajectoryView["phases"][number];

/** What a trial has gone through by its own record, and what is before it. Empty where it has none. Pure. */
export function buildPhases(
  {
    status,
    queuedAt,
    startedAt,
    endedAt,
  }: Pick<Rollout, "status" | "queuedAt" | "startedAt" | "endedAt">,
  text: string | null | undefined,
): Phase[] {
  const begun = (text ?? "").split("\n").flatMap((line) => {
    const read = PhaseRecord.safeParse(parseJson(line));
    return read.success ? read.data : [];
  });
  const first = begun[0];
  if (!first) return [];
  const isOver = endedAt !== null;
  // The removal of the sandbox begins whatever happened: what failed stood before it.
  const failedIn =
    status === "failed" ? begun.findLast(({ phase }) => phase !== "end")?.phase : null;
  const at = (phase: SandboxPhase): Phase => {
    const index = begun.findIndex((record) => record.phase === phase);
    const record = begun[index];
    if (!record) return { phase, state: "waiting", startedAt: null, endedAt: null };
    const end = begun[index + 1]?.at ?? endedAt?.toISOString() ?? null;
    const state = phase === failedIn ? "failed" : end === null && !isOver ? "now" : "done";
    return { phase, state, startedAt: record.at, endedAt: end };
  };
  return [
    {
      phase: "queue",
      state: "done",
      startedAt: queuedAt.toISOString(),
      endedAt: startedAt?.toISOString() ?? first.at,
    },
    ...SandboxPhase.options.map(at),
  ];
}
