import { z } from "zod";
import { SandboxHost } from "#rollout.ts";
import { SandboxError, SandboxReport, SandboxState } from "#sandbox.ts";

/** What is known of something that is asked from time to time: the newest answer, and since when it fails. */
export const known = <S extends z.ZodType>(of: S) =>
  z.object({
    value: of.nullable(),
    /** When `value` was true. */
    at: z.string().nullable(),
    /** Why it can not be asked now, in words for people; null while it can. */
    fault: z.string().nullable(),
  });
export type Known<T> = z.infer<ReturnType<typeof known<z.ZodType<T>>>>;

/** One engine replica, as the proxy and the engine itself tell. Null: it does not tell. */
export const EngineView = z.object({
  /** The pool that it serves: the run's id. */
  poolId: z.string(),
  modelName: z.string(),
  /** Its address, or `relay:<worker>` for engines inside a trainer. */
  url: z.string(),
  state: z.enum(["up", "away", "draining"]),
  /** Requests of the proxy that it works on, and how many it takes; null: as many as come. */
  inFlight: z.number(),
  capacity: z.number().nullable(),
  weightVersion: z.number().nullable(),
  running: z.number().nullable(),
  waiting: z.number().nullable(),
  /** 0 to 1, both. */
  kvUse: z.number().nullable(),
  prefixHitRate: z.number().nullable(),
  /** Sampled in the last seconds; null before there are two looks. */
  tokensPerS: z.number().nullable(),
  preemptions: z.number().nullable(),
});
export type EngineView = z.infer<typeof EngineView>;

/** One GPU. Null: nvidia-smi or DCGM does not tell. */
export const GpuView = z.object({
  /** Null: the machine that LiveRL runs on. */
  host: z.string().nullable(),
  index: z.number(),
  name: z.string(),
  /** Percent of the time in which a kernel ran. */
  utilisation: z.number().nullable(),
  /** MiB, both. */
  memoryUsed: z.number().nullable(),
  memoryTotal: z.number().nullable(),
  /** °C. */
  temperature: z.number().nullable(),
  /** Watt, both. */
  power: z.number().nullable(),
  powerLimit: z.number().nullable(),
  /** ECC errors that could not be corrected, since the driver was loaded. */
  uncorrected: z.number().nullable(),
  /** The last Xid that the driver logged (NVIDIA, "XID Errors"); null: none, or it is not told. */
  xid: z.number().nullable(),
});
export type GpuView = z.infer<typeof GpuView>;

/** A GPU with what it did while somebody looked: percent, oldest first, one each five seconds, null where nobody did. */
export const GpuLane = GpuView.extend({ history: z.array(z.number().nullable()) });
export type GpuLane = z.infer<typeof GpuLane>;

export const RayNodeView = z.object({
  id: z.string(),
  host: z.string(),
  isHead: z.boolean(),
  isAlive: z.boolean(),
  /** Ray's words of a node that is not alive. */
  message: z.string().nullable(),
  /** Percent of all cores. */
  cpu: z.number().nullable(),
  /** Bytes. */
  memoryUsed: z.number().nullable(),
  memoryTotal: z.number().nullable(),
  objectStoreUsed: z.number().nullable(),
  objectStoreTotal: z.number().nullable(),
  gpus: z.array(
    z.object({
      index: z.number(),
      name: z.string().nullable(),
      utilisation: z.number().nullable(),
      memoryUsed: z.number().nullable(),
      memoryTotal: z.number().nullable(),
    }),
  ),
});
export type RayNodeView = z.infer<typeof RayNodeView>;

export const RayActorView = z.object({
  id: z.string(),
  className: z.string(),
  name: z.string().nullable(),
  state: z.string(),
  nodeId: z.string().nullable(),
  pid: z.number().nullable(),
  restarts: z.number(),
  /** Why it died, in Ray's words. */
  death: z.string().nullable(),
});
export type RayActorView = z.infer<typeof RayActorView>;

export const RayGroupView = z.object({
  id: z.string(),
  name: z.string().nullable(),
  state: z.string(),
  /** What each bundle asks for, as `8 GPU, 16 CPU`. */
  bundles: z.array(z.string()),
  /** Why it waits, in Ray's words; null where it does not. */
  waitsFor: z.string().nullable(),
});
export type RayGroupView = z.infer<typeof RayGroupView>;

export const RayView = z.object({
  version: z.string(),
  /** Whether everybody who reaches it may run code there. */
  isOpen: z.boolean(),
  nodes: z.array(RayNodeView),
  actors: z.array(RayActorView),
  actorCount: z.number(),
  groups: z.array(RayGroupView),
  /** What Ray says it could not tell; null where it told all. */
  warning: z.string().nullable(),
});
export type RayView = z.infer<typeof RayView>;

/** One process that LiveRL started and watches. */
export const ProcessRow = z.object({
  /** `<run>.<process>` for those of a run. */
  name: z.string(),
  pid: z.number(),
  startedAt: z.string(),
  /** Resident memory of the process itself, bytes; null where the system does not tell. */
  memory: z.number().nullable(),
});
export type ProcessRow = z.infer<typeof ProcessRow>;

export const HostView = z.object({
  /** Mean of runnable processes in the last minute. */
  load: z.number(),
  /** Bytes, both. */
  memoryUsed: z.number(),
  memoryTotal: z.number(),
  /** Bytes of the data directory's disk, both; free is what LiveRL may still write. */
  diskFree: z.number(),
  diskTotal: z.number(),
});
export type HostView = z.infer<typeof HostView>;

const RunName = z.object({ id: z.string(), name: z.string(), project: z.string() });

/** How many sandboxes were in each state at a moment that somebody looked at. */
export const SandboxCounts = z.partialRecord(SandboxState, z.number());
export type SandboxCounts = z.infer<typeof SandboxCounts>;

export const SandboxesView = SandboxReport.extend({
  host: known(SandboxHost),
  /** The most frequent first. */
  errors: z.array(SandboxError).nullable(),
  /** A quarter of an hour, one each five seconds, the oldest first; null where nobody looked. */
  history: z.array(SandboxCounts.nullable()),
  /** Those that the trials are of. */
  runs: z.array(RunName),
});
export type SandboxesView = z.infer<typeof SandboxesView>;

export const ClusterView = z.object({
  engines: known(z.array(EngineView)),
  /** `warning`: which of several hosts do not tell. */
  gpus: known(z.object({ lanes: z.array(GpuLane), warning: z.string().nullable() })),
  rays: z.array(known(RayView).extend({ address: z.string(), runs: z.array(RunName) })),
  processes: z.array(ProcessRow),
  /** Those that engines are of. An ended run's engines go with it: that they are away is no fault. */
  runs: z.array(RunName.extend({ hasEnded: z.boolean() })),
  host: HostView,
});
export type ClusterView = z.infer<typeof ClusterView>;
