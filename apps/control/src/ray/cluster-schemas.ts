import { z } from "zod";

// Loose readings of what a cluster's dashboard tells: unknown keys are dropped, missing ones are null. `/nodes` and
// `/api/cluster_status` convert keys to camel case, `/api/v0/*` keeps snake case.

const text = z.string().nullish().catch(null);
const number = z.number().nullish().catch(null);
/** Ray writes 64-bit integers as strings. */
const wide = z.coerce.number().nullish().catch(null);

const RayGpu = z.object({
  index: z.number().int(),
  uuid: text,
  name: text,
  /** Percent. */
  utilizationGpu: number,
  /** MiB, both. */
  memoryUsed: number,
  memoryTotal: number,
});

export const RayNode = z.object({
  hostname: text,
  ip: text,
  /** Percent of all cores. */
  cpu: number,
  /** Logical and physical cores. */
  cpus: z.array(z.number()).catch([]),
  /** Bytes: total, available, percent, used. */
  mem: z.array(z.number()).catch([]),
  gpus: z.array(RayGpu).catch([]),
  raylet: z
    .object({
      nodeId: text,
      state: text,
      stateMessage: text,
      isHeadNode: z.boolean().nullish().catch(null),
      resourcesTotal: z.record(z.string(), z.number()).catch({}),
      objectStoreUsedMemory: number,
      objectStoreAvailableMemory: number,
    })
    .catch({
      ...{ nodeId: null, state: null, stateMessage: null, isHeadNode: null, resourcesTotal: {} },
      ...{ objectStoreUsedMemory: null, objectStoreAvailableMemory: null },
    }),
});
export type RayNode = z.infer<typeof RayNode>;

export const RayActor = z.object({
  actor_id: z.string(),
  class_name: text,
  state: z.string(),
  name: text,
  node_id: text,
  pid: number,
  job_id: text,
  num_restarts: wide,
  placement_group_id: text,
  /** One key, by the kind of death, with `error_message` below it. */
  death_cause: z.record(z.string(), z.unknown()).nullish().catch(null),
});
export type RayActor = z.infer<typeof RayActor>;

export const RayPlacementGroup = z.object({
  placement_group_id: z.string(),
  name: text,
  state: z.string(),
  creator_job_id: text,
  bundles: z
    .array(
      z.object({
        node_id: text,
        unit_resources: z.record(z.string(), z.number()).nullish().catch(null),
      }),
    )
    .nullish()
    .catch(null),
  stats: z.object({ scheduling_state: text, scheduling_attempt: wide }).nullish().catch(null),
});
export type RayPlacementGroup = z.infer<typeof RayPlacementGroup>;

export const RayVersion = z.object({
  ray_version: z.string(),
  /** Another one after a restart of the head. */
  session_name: z.string(),
});
export type RayVersion = z.infer<typeof RayVersion>;

/** The envelope of the dashboard's own routes. */
export const Envelope = z.object({
  result: z.boolean(),
  msg: z.string().catch(""),
  data: z.unknown(),
});
export const NodeSummary = z.object({ summary: z.array(RayNode) });
/** Below `data` of `/api/v0/*`. */
export const StateList = z.object({
  result: z.object({
    total: z.number().int(),
    result: z.array(z.unknown()),
    partial_failure_warning: text,
  }),
});
