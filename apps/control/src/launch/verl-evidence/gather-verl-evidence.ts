import { access, statfs } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import type { Config } from "#config.ts";
import { findPlaceFaults } from "#launch/check-places.ts";
import { expandHome } from "#launch/verl-evidence/expand-home.ts";
import { findPython } from "#launch/verl-evidence/find-python.ts";
import { probeGpus } from "#launch/verl-evidence/probe-gpus.ts";
import { probeKube } from "#launch/verl-evidence/probe-kube.ts";
import { probePorts, probeProxyAddress } from "#launch/verl-evidence/probe-ports.ts";
import { probeRay } from "#launch/verl-evidence/probe-ray.ts";
import { readDataset } from "#launch/verl-evidence/read-dataset.ts";
import { readGate } from "#launch/verl-evidence/read-gate.ts";
import { readHarborFolder } from "#launch/verl-evidence/read-harbor-folder.ts";
import { readModelFolder } from "#launch/verl-evidence/read-model-folder.ts";
import type { VerlEvidence } from "#launch/verl-evidence/verl-evidence.ts";

/** A file system that hangs must not hang the form. */
const FILES_MS = 5_000;
const MOST_FILES = 50;

/** Looks at what a spec names: files, machine, cluster. Each look has a time limit. A target that may not be used is not looked at. */
export async function gatherVerlEvidence(
  { dataDir, places }: Pick<Config, "dataDir" | "places">,
  spec: VerlSpec,
): Promise<VerlEvidence> {
  const mayAsk = findPlaceFaults(places, spec).length === 0;
  const isRemote = spec.driver !== "local-verl";
  const isLocal = spec.driver === "local-verl";
  const data = (path: string) =>
    within(readDataset(path, isRemote), {
      state: "unreadable" as const,
      path,
      message: "it did not answer in time",
    });
  const harbor = (path: string | null) =>
    path === null
      ? null
      : within(readHarborFolder(path, isRemote), {
          state: "unreadable" as const,
          path,
          message: "it did not answer in time",
        });
  const [
    model,
    train,
    val,
    trainHarbor,
    valHarbor,
    freeDiskMb,
    gpus,
    python,
    ray,
    kubeconfig,
    kube,
    ports,
    proxyFault,
    gate,
  ] = await Promise.all([
    within(readModelFolder(spec.model.path, isRemote), {
      state: "missing" as const,
      message: `${spec.model.path} did not answer in time.`,
    }),
    Promise.all(spec.data.train_files.slice(0, MOST_FILES).map(data)),
    Promise.all(spec.data.val_files.slice(0, MOST_FILES).map(data)),
    harbor(spec.data.train_harbor_dir),
    harbor(spec.data.val_harbor_dir),
    statfs(dataDir).then(
      ({ bavail, bsize }) => (bavail * bsize) / 1e6,
      () => null,
    ),
    isLocal ? probeGpus() : null,
    isLocal && mayAsk ? findPython(spec.target) : null,
    spec.driver === "ray-job" && mayAsk
      ? probeRay(spec.target.address, spec.target.token_path)
      : null,
    spec.driver === "kuberay" && mayAsk && spec.target.kubeconfig !== null
      ? readable(spec.target.kubeconfig)
      : null,
    spec.driver === "kuberay" && mayAsk ? probeKube(spec.target, places) : null,
    isLocal ? probePorts(spec) : null,
    isLocal && spec.proxy.mode === "local" ? probeProxyAddress(spec.env.LLM_PROXY_IP) : null,
    spec.data.train_harbor_dir === null
      ? null
      : within(readGate(dataDir, spec.data.train_harbor_dir), null),
  ]);
  return {
    model,
    train,
    val,
    trainHarbor,
    valHarbor,
    freeDiskMb,
    cpus: isLocal ? availableParallelism() : (ray?.resources?.cpus ?? null),
    gpus,
    python,
    ray,
    kubeconfig,
    kube,
    ports,
    proxyFault,
    gate,
    checkout: await within(findCheckout(spec.verl.path, isRemote), null),
  };
}

function within<T>(work: Promise<T>, late: T): Promise<T> {
  let timer: NodeJS.Timeout;
  const limit = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late), FILES_MS);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

async function readable(path: string): Promise<{ path: string; fault: string | null }> {
  return access(expandHome(path)).then(
    () => ({ path, fault: null }),
    () => ({ path, fault: "it can not be read" }),
  );
}

async function findCheckout(
  path: string | null,
  isRemote: boolean,
): Promise<{ hasVerl: boolean } | null> {
  if (path === null) return null;
  const hasVerl = await access(join(expandHome(path), "verl/__init__.py")).then(
    () => true,
    () => false,
  );
  return !hasVerl && isRemote ? null : { hasVerl };
}
