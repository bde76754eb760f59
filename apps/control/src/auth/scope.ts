import type { TokenScope } from "@liverl/contract/api-token";

/** What somebody may do here: one of a token's scopes, or to log metrics and nothing else. */
export type Scope = TokenScope | "ingest";

const RANK = { read: 1, operate: 2, admin: 3 } as const satisfies Record<TokenScope, number>;
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/** What a route needs that does not say so itself: an unnamed act is never open to who may only read. */
export function neededScope(method: string, named: Scope | undefined): Scope {
  return named ?? (SAFE.has(method) ? "read" : "operate");
}

/** Routes that log are open to trainers, and to everybody who may act. */
export function allows(scope: Scope, needed: Scope): boolean {
  if (needed === "ingest") return scope === "ingest" || RANK[scope] >= RANK.operate;
  return scope !== "ingest" && RANK[scope] >= RANK[needed];
}

/** Why it is refused, and what to do. */
export function refusal(scope: Scope, needed: Scope): string {
  if (scope === "ingest") return "This token only logs metrics.";
  if (needed === "ingest")
    return `This token may ${scope}, and to log metrics takes the ingest token, which lies in <data dir>/ingest.token, or one that may operate: \`liverl token create NAME --scope operate\`.`;
  return `This token may ${scope}, and this needs ${needed}: make one with \`liverl token create NAME --scope ${needed}\`.`;
}
