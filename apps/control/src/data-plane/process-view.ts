import type { RunProcess } from "@liverl/contract/run";
import type { z } from "zod";

export type ProcessView = z.infer<typeof RunProcess>;

/** What is shown of a supervised process. */
interface Shown {
  state: "starting" | "up" | "restarting" | "exited";
  restarts: number;
  since: Date;
  record: { pid: number | null } | null;
}

export function viewOf(name: string, { state, restarts, since, record }: Shown): ProcessView {
  return {
    name,
    pid: state === "up" ? (record?.pid ?? null) : null,
    status: state,
    restarts,
    since: since.toISOString(),
  };
}
