import { PhaseRecord, type SandboxPhase } from "@liverl/contract/rollout";
import type { TrajectoryView } from "@liverl/contract/views";
import type { Rollout } from "@liverl/prisma/client";
import { parseJson } from "#trajectories/parse-json.ts";

type Phase = TrajectoryView["phases"][number];
/** What each step of a task goes through. */
const OF_STEP = ["agent", "verifier"] as const satisfies SandboxPhase[];

/** A trial's own record of its phases. A line that was cut is none. Pure. */
export function readPhases(text: string | null | undefined): PhaseRecord[] {
  return (text ?? "").split("\n").flatMap((line) => {
    const read = PhaseRecord.safeParse(parseJson(line));
    return read.success ? read.data : [];
  });
}

/** The names of the task's steps, in order; empty where it has none. Pure. */
export const stepNamesOf = ([first]: readonly PhaseRecord[]): string[] => first?.steps ?? [];

/** What a trial has gone through by its own record, and what is before it. Empty where it has none. Pure. */
export function buildPhases(
  {
    status,
    queuedAt,
    startedAt,
    endedAt,
  }: Pick<Rollout, "status" | "queuedAt" | "startedAt" | "endedAt">,
  begun: readonly PhaseRecord[],
): Phase[] {
  const first = begun[0];
  if (!first) return [];
  const isOver = endedAt !== null;
  // The removal of the sandbox begins whatever happened: what failed stood before it.
  const failedIn = status === "failed" ? begun.findLast(({ phase }) => phase !== "end") : undefined;
  const at = (phase: SandboxPhase, step: string | null): Phase => {
    const isIt = (record: PhaseRecord) => record.phase === phase && (record.step ?? null) === step;
    const index = begun.findIndex(isIt);
    const record = begun[index];
    if (!record)
      return { phase, step, state: isOver ? "skipped" : "waiting", startedAt: null, endedAt: null };
    // A verifier with a sandbox of its own is told of twice.
    const next = begun.slice(index).find((later) => !isIt(later));
    const end = next?.at ?? endedAt?.toISOString() ?? null;
    const hasFailed = failedIn !== undefined && isIt(failedIn);
    const state = hasFailed ? "failed" : end === null && !isOver ? "now" : "done";
    return { phase, step, state, startedAt: record.at, endedAt: end };
  };
  const steps = stepNamesOf(begun);
  const work = (steps.length > 0 ? steps : [null]).flatMap((step) =>
    OF_STEP.map((phase) => at(phase, step)),
  );
  return [
    {
      phase: "queue",
      step: null,
      state: "done",
      startedAt: queuedAt.toISOString(),
      endedAt: startedAt?.toISOString() ?? first.at,
    },
    at("environment", null),
    ...work,
    at("end", null),
  ];
}
