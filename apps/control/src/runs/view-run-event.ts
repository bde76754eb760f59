import { type RunEvent, RunEventKind } from "@liverl/contract/run";
import type { z } from "zod";
import { viewStored } from "#database/view-stored.ts";

export type RunEventView = z.infer<typeof RunEvent>;

/** A row of run_event as the contract has it. */
export function viewRunEvent(row: {
  id: number;
  kind: string;
  step: number | null;
  at: Date;
  actor: string;
  message: string;
}): RunEventView {
  return viewStored(`event ${row.id}`, () => ({
    id: row.id,
    kind: RunEventKind.parse(row.kind),
    step: row.step,
    at: row.at.toISOString(),
    actor: row.actor,
    message: row.message,
  }));
}
