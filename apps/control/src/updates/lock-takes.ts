import type { PoolClient } from "pg";

/** Any number does; it only has to be ours. */
const LOCK_ID = 727_002;

/**
 * A rollout is told of by the runner's feed, and that an update took it by the trainer: either may be first. Writers of both
 * take turns until their transactions end, so that the second sees what the first wrote.
 */
export async function lockTakes(client: PoolClient): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK_ID]);
}
