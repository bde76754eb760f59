/** Facts of a model that preflight and the memory estimate use, from its config.json. */
export interface ModelShape {
  modelType: string;
  layers: number;
  hidden: number;
  intermediate: number;
  heads: number;
  kvHeads: number;
  headDim: number;
  vocab: number;
  tiedEmbeddings: boolean;
  /** Longest sequence that the model was made for; null where the config does not say. */
  maxPositions: number | null;
  /** Bytes of one stored weight. */
  weightBytes: number;
  experts: {
    count: number;
    perToken: number;
    intermediate: number;
    sharedIntermediate: number;
  } | null;
  /** Layers that keep a cache which grows with the sequence; fewer than `layers` where some are linear. */
  attentionLayers: number;
  /** Linear attention of the Gated DeltaNet kind (qwen3_next, qwen3_5). */
  hasGatedDeltaNet: boolean;
}

export type ModelEvidence =
  /** The path is not on this machine, and need not be. */
  | { state: "elsewhere" }
  | { state: "missing"; message: string }
  | {
      state: "found";
      shape: ModelShape | null;
      /** Why there is no shape. */
      fault: string | null;
      /** What all weights take on disk. */
      sizeBytes: number;
      /** Weight files that the index names and the folder has not. */
      missingWeights: string[];
      /** A sentence for each file that is not as long as its header says. */
      damagedWeights: string[];
      hasWeights: boolean;
      hasTokenizer: boolean;
      hasChatTemplate: boolean;
    };

export type DataEvidence =
  | { state: "elsewhere"; path: string }
  | { state: "unreadable"; path: string; message: string }
  | {
      state: "read";
      path: string;
      rows: number;
      columns: string[];
      /** Fields of the column extra_info. */
      extraInfo: string[];
    };

export type HarborEvidence =
  | { state: "elsewhere"; path: string }
  | { state: "unreadable"; path: string; message: string }
  | {
      state: "read";
      path: string;
      tasks: number;
      /** Tasks that cannot be played, by their path below the folder. */
      broken: { path: string; reason: string }[];
    };

/** Tasks of a folder as the agents oracle and nop left them. */
export interface GateEvidence {
  /** When they were played, ISO 8601. */
  at: string;
  played: number;
  /** Tasks that their own solution does not solve. */
  unsolved: string[];
  /** Tasks that reward doing nothing. */
  rewarded: string[];
  /** Tasks of which a trial had no reward. */
  failed: string[];
}

export interface RayEvidence {
  /** Null: it does not answer. */
  version: string | null;
  /** Why it does not answer, or does not let us in. */
  fault: string | null;
  authentication: "disabled" | "token" | "unknown";
  /** The file of the token was read. */
  hasToken: boolean;
  tokenFault: string | null;
  isLoopback: boolean;
  /** How far the clock there is ahead of this machine's, in seconds, to the second; null where it was not told. */
  clockAheadS: number | null;
  resources: { cpus: number; gpus: number; nodes: number; gpuMb: number | null } | null;
}

export interface KubeEvidence {
  /** URL of the API server; null where no kubeconfig says it. */
  server: string | null;
  /** Why nothing is known of the cluster: no configuration, no answer, no credentials. */
  fault: string | null;
  hasKubeRay: boolean;
  /** Null: LiveRL may not look, and need not. */
  hasNamespace: boolean | null;
  /** What RBAC keeps from LiveRL, as `create rayjobs.ray.io`. */
  denied: string[];
}

export interface PythonEvidence {
  /** The environment that is named: its interpreter and the verl that it has. */
  venv: { hasPython: boolean; verlVersion: string | null } | null;
  /** An interpreter to make an environment with. */
  interpreter: string | null;
}

export interface GpuEvidence {
  count: number;
  /** Of the smallest. */
  memoryMb: number;
  /** Processes that hold memory of them now. */
  busy: { pid: number; name: string; usedMb: number }[];
}

/** A port that the run would listen on. */
export interface PortEvidence {
  port: number;
  /** Where the spec says it. */
  path: string;
  isFree: boolean;
}

/** What was seen of the machine, the cluster and the files that a spec names; null: not looked at for this driver. */
export interface VerlEvidence {
  model: ModelEvidence;
  train: DataEvidence[];
  val: DataEvidence[];
  trainHarbor: HarborEvidence | null;
  valHarbor: HarborEvidence | null;
  /** Of the folder that training takes its tasks from; null where they were not played, or there is none here. */
  gate: GateEvidence | null;
  freeDiskMb: number | null;
  cpus: number | null;
  gpus: GpuEvidence | null;
  python: PythonEvidence | null;
  /** Those that the spec names, on this machine. */
  ports: PortEvidence[] | null;
  /** Why no host of this machine's own address can take a proxy; null where one can, or none is wanted here. */
  proxyFault: string | null;
  ray: RayEvidence | null;
  kubeconfig: { path: string; fault: string | null } | null;
  kube: KubeEvidence | null;
  /** Checkout of verl.path: whether it holds a package verl; null without one, or when it is elsewhere. */
  checkout: { hasVerl: boolean } | null;
}
