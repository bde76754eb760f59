import type { ModelShape, VerlEvidence } from "#launch/verl-evidence/verl-evidence.ts";

/** Shape of Qwen2.5-7B, as its config.json has it. */
export const DENSE_SHAPE: ModelShape = {
  modelType: "qwen2",
  layers: 28,
  hidden: 3584,
  intermediate: 18_944,
  heads: 28,
  kvHeads: 4,
  headDim: 128,
  vocab: 152_064,
  tiedEmbeddings: false,
  maxPositions: 131_072,
  weightBytes: 2,
  experts: null,
  attentionLayers: 28,
  hasGatedDeltaNet: false,
};

/** Shape of Qwen3-30B-A3B. */
export const MOE_SHAPE: ModelShape = {
  ...DENSE_SHAPE,
  modelType: "qwen3_moe",
  layers: 48,
  hidden: 2048,
  intermediate: 6144,
  heads: 32,
  vocab: 151_936,
  attentionLayers: 48,
  experts: { count: 128, perToken: 8, intermediate: 768, sharedIntermediate: 0 },
};

export function modelSeen(shape: ModelShape | null): VerlEvidence["model"] {
  return {
    state: "found",
    shape,
    fault: null,
    sizeBytes: 15_231_233_024,
    missingWeights: [],
    damagedWeights: [],
    hasWeights: true,
    hasTokenizer: true,
    hasChatTemplate: true,
  };
}

/** A stand-in for a look at a machine on which all is well: eight GPUs of 80 GB and every file in place. */
export const SEEN: VerlEvidence = {
  model: modelSeen(DENSE_SHAPE),
  train: [],
  val: [],
  trainHarbor: { state: "read", path: "/data/harbor/train", tasks: 500, broken: [] },
  valHarbor: { state: "read", path: "/data/harbor/val", tasks: 50, broken: [] },
  gate: { at: "2026-11-22T10:00:00.000Z", played: 20, unsolved: [], rewarded: [], failed: [] },
  freeDiskMb: 2_000_000,
  cpus: 96,
  gpus: { count: 8, memoryMb: 85_520, busy: [] },
  ports: [],
  proxyFault: null,
  python: { venv: null, interpreter: "/usr/bin/python3.12" },
  ray: null,
  kubeconfig: null,
  kube: null,
  checkout: null,
};

/** The same of a Ray cluster with three such machines. */
export const SEEN_RAY: VerlEvidence = {
  ...SEEN,
  gpus: null,
  python: null,
  cpus: 288,
  ray: {
    version: "2.60.0",
    fault: null,
    authentication: "token",
    hasToken: true,
    tokenFault: null,
    isLoopback: true,
    clockAheadS: 0,
    resources: { cpus: 288, gpus: 24, nodes: 3, gpuMb: 81_559 },
  },
};

/** The same of a Kubernetes cluster with KubeRay. */
export const SEEN_KUBE: VerlEvidence = {
  ...SEEN,
  gpus: null,
  python: null,
  cpus: null,
  kube: {
    server: "https://10.0.0.1:6443",
    fault: null,
    hasKubeRay: true,
    hasNamespace: true,
    denied: [],
  },
};
