import type { PreflightItem } from "@liverl/contract/launch";

/** What one look found; its place in the spec and its mending only where there is one. */
export type Check = Omit<PreflightItem, "id" | "fix" | "field"> &
  Partial<Pick<PreflightItem, "fix" | "field">>;
