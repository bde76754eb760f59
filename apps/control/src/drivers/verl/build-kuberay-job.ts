import { readFile } from "node:fs/promises";
import type { KubeRaySpec } from "@liverl/contract/verl-launch";
import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { linksFrom } from "#drivers/verl/adapter-links.ts";
import { beginArgv } from "#drivers/verl/begin-argv.ts";
import { type AdapterLinks, buildAgentLoops } from "#drivers/verl/build-agent-loops.ts";
import { buildVerlEnv } from "#drivers/verl/build-verl-env.ts";
import type { VerlPlaces } from "#drivers/verl/build-verl-overrides.ts";
import { clusterEnv } from "#drivers/verl/cluster-env.ts";
import { collectAdapter } from "#drivers/verl/collect-adapter.ts";
import { formatOverrides } from "#drivers/verl/format-overrides.ts";
import { KubeRayJob } from "#drivers/verl/kuberay-job.ts";
import type { VerlFiles } from "#drivers/verl/verl-files.ts";
import { loadKube } from "#kube/load-kube.ts";
import { buildRayJobManifest, POD_PATHS } from "#kube/rayjob-manifest.ts";
import { checkSizes } from "#kube/rayjob-objects.ts";
import { quoteForShell } from "#ray/quote-for-shell.ts";

const AGENT_LOOPS = "agent_loops.yaml";
const TOKENS = { runner: "trainer.token", worker: "worker.token" } as const;

/**
 * An attempt as a RayJob. The adapter and its settings come in a ConfigMap; what may be secret (the command line, the
 * environment, the tokens) in Secrets. Every node mounts them.
 */
export async function buildKubeRayJob(
  ctx: Context,
  run: Pick<Run, "id" | "attempt">,
  spec: KubeRaySpec,
  {
    files,
    here,
    places,
    resumePath,
  }: {
    files: VerlFiles;
    here: AdapterLinks;
    places: (data: Pick<VerlPlaces, "trainFiles" | "valFiles">) => VerlPlaces;
    resumePath: string | null;
  },
): Promise<KubeRayJob> {
  const { data, target } = spec;
  // Pods never reach this machine by its own 127.0.0.1, also where the API server is asked there.
  const cluster = { name: "Kubernetes", url: null };
  const tokens = {
    runnerTokenPath: `${POD_PATHS.secret}/${TOKENS.runner}`,
    workerTokenPath: `${POD_PATHS.secret}/${TOKENS.worker}`,
  };
  const loops = buildAgentLoops(run.id, spec, linksFrom(cluster, spec, { here, tokens }));
  const sources = new Map([...(await collectAdapter(ctx.config.root)), [AGENT_LOOPS, loops]]);
  const at = places({ trainFiles: data.train_files, valFiles: data.val_files });
  const overrides = formatOverrides(
    spec,
    { ...at, agentLoops: `${POD_PATHS.code}/${AGENT_LOOPS}` },
    resumePath,
  );
  const argv = beginArgv(spec, overrides);
  const metrics = files.metrics(run.attempt);
  const env = clusterEnv(buildVerlEnv(spec, { adapter: POD_PATHS.code, metrics }));
  const secret = {
    "start.sh": `exec ${quoteForShell([target.python, ...argv])}\n`,
    [TOKENS.runner]: await readFile(here.runnerTokenPath, "utf8"),
    ...(spec.proxy.mode === "server" && {
      [TOKENS.worker]: await readFile(here.workerTokenPath, "utf8"),
    }),
  };
  return new KubeRayJob(ctx, {
    ...{ runId: run.id, attempt: run.attempt, files, env },
    place: () => loadKube(target, ctx.config.places),
    objects: (name) => {
      const code = Object.fromEntries([...sources].map(([path, text]) => [keyOf(path), text]));
      checkSizes({ code, secret, env });
      const manifest = buildRayJobManifest(spec, {
        ...{ name, runId: run.id, attempt: run.attempt },
        code: new Map([...sources.keys()].map((path) => [path, keyOf(path)])),
      });
      return { manifest, code, secret, env };
    },
  });
}

/** A ConfigMap's key has no slash; the volume's items give the path back. */
const keyOf = (path: string) => path.replaceAll("/", ".");
