import type { SandboxHost } from "#rollout.ts";
import type { SandboxError, SandboxReport, SandboxState } from "#sandbox.ts";

/** What is known of something that is asked from time to time: the newest answer, and since when it fails. */
export interface Known<T> {
  value: T | null;
  /** When `value` was true. */
  at: string | null;
  /** Why it can not be asked now, in words for people; null while it can. */
  fault: string | null;
}

/** One engine replica, as the proxy and the engine itself tell. Null: it does not tell. */
export interface EngineView {
  /** The pool that it serves: the run's id. */
  poolId: string;
  modelName: string;
  /** Its address, or `relay:<worker>` for engines inside a trainer. */
  url: string;
  state: "up" | "away" | "draining";
  /** Requests of the proxy that it works on, and how many it takes; null: as many as come. */
  inFlight: number;
  capacity: number | null;
  weightVersion: number | null;
  running: number | null;
  waiting: number | null;
  /** 0 to 1, both. */
  kvUse: number | null;
  prefixHitRate: number | null;
  /** Sampled in the last seconds; null before there are two looks. */
  tokensPerS: number | null;
  preemptions: number | null;
}

/** One GPU. Null: nvidia-smi or DCGM does not tell. */
export interface GpuView {
  /** Null: the machine that LiveRL runs on. */
  host: string | null;
  index: number;
  name: string;
  /** Percent of the time in which a kernel ran. */
  utilisation: number | null;
  /** MiB, both. */
  memoryUsed: number | null;
  memoryTotal: number | null;
  /** °C. */
  temperature: number | null;
  /** Watt, both. */
  power: number | null;
  powerLimit: number | null;
  /** ECC errors that could not be corrected, since the driver was loaded. */
  uncorrected: number | null;
  /** The last Xid that the driver logged (NVIDIA, "XID Errors"); null: none, or it is not told. */
  xid: number | null;
}

/** A GPU with what it did while somebody looked: percent, oldest first, one each five seconds, null where nobody did. */
export type GpuLane = GpuView & { history: (number | null)[] };

export interface RayNodeView {
  id: string;
  host: string;
  isHead: boolean;
  isAlive: boolean;
  /** Ray's words of a node that is not alive. */
  message: string | null;
  /** Percent of all cores. */
  cpu: number | null;
  /** Bytes. */
  memoryUsed: number | null;
  memoryTotal: number | null;
  objectStoreUsed: number | null;
  objectStoreTotal: number | null;
  gpus: {
    index: number;
    name: string | null;
    utilisation: number | null;
    memoryUsed: number | null;
    memoryTotal: number | null;
  }[];
}

export interface RayActorView {
  id: string;
  className: string;
  name: string | null;
  state: string;
  nodeId: string | null;
  pid: number | null;
  restarts: number;
  /** Why it died, in Ray's words. */
  death: string | null;
}

export interface RayGroupView {
  id: string;
  name: string | null;
  state: string;
  /** What each bundle asks for, as `8 GPU, 16 CPU`. */
  bundles: string[];
  /** Why it waits, in Ray's words; null where it does not. */
  waitsFor: string | null;
}

export interface RayView {
  version: string;
  /** Whether everybody who reaches it may run code there. */
  isOpen: boolean;
  nodes: RayNodeView[];
  actors: RayActorView[];
  actorCount: number;
  groups: RayGroupView[];
  /** What Ray says it could not tell; null where it told all. */
  warning: string | null;
}

/** One process that LiveRL started and watches. */
export interface ProcessRow {
  /** `<run>.<process>` for those of a run. */
  name: string;
  pid: number;
  startedAt: string;
  /** Resident memory of the process itself, bytes; null where the system does not tell. */
  memory: number | null;
}

export interface HostView {
  /** Mean of runnable processes in the last minute. */
  load: number;
  /** Bytes, both. */
  memoryUsed: number;
  memoryTotal: number;
  /** Bytes of the data directory's disk, both; free is what LiveRL may still write. */
  diskFree: number;
  diskTotal: number;
}

/** How many sandboxes were in each state at a moment that somebody looked at. */
export type SandboxCounts = Partial<Record<SandboxState, number>>;

export interface SandboxesView extends SandboxReport {
  host: Known<SandboxHost>;
  /** The most frequent first; null until they are counted. */
  errors: SandboxError[] | null;
  /** A quarter of an hour, one each five seconds, the oldest first; null where nobody looked. */
  history: (SandboxCounts | null)[];
  /** Those that the trials are of. */
  runs: { id: string; name: string; project: string }[];
}

export interface ClusterView {
  engines: Known<EngineView[]>;
  /** `warning`: which of several hosts do not tell. */
  gpus: Known<{ lanes: GpuLane[]; warning: string | null }>;
  rays: (Known<RayView> & {
    address: string;
    runs: { id: string; name: string; project: string }[];
  })[];
  processes: ProcessRow[];
  /** Those that engines are of. */
  runs: { id: string; name: string; project: string }[];
  host: HostView;
}
