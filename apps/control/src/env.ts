import { delimiter, isAbsolute } from "node:path";
import { SandboxKind } from "@liverl/contract/rollout";
import { z } from "zod";

/** Absolute paths, parted as PATH is; of PATH and the like others are left out, of our own settings refused. */
const Paths = z
  .string()
  .default("")
  .transform((text) => text.split(delimiter).filter((path) => path !== ""));
const OwnPaths = Paths.pipe(
  z.array(
    z.string().refine((path) => isAbsolute(path) || path.startsWith("~/"), {
      error: "write absolute paths, parted by colons, such as /data/envs:/opt/python",
    }),
  ),
);
const FoundPaths = Paths.transform((paths) => paths.filter(isAbsolute));

const Env = z.object({
  /** An own PostgreSQL (15 or newer) instead of the embedded one. */
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  /** Addresses of dcgm-exporters, parted by commas: they are asked instead of nvidia-smi. */
  LIVERL_DCGM_URLS: z
    .string()
    .default("")
    .transform((text) => text.split(",").flatMap((part) => part.trim() || []))
    .pipe(z.array(z.url({ protocol: /^https?$/ }))),
  /** The trial runner's; a place that it does not know is said before anything starts. */
  LIVERL_SANDBOX: SandboxKind.default("docker"),
  /** Receivers of alerts on this site, parted by commas: names of hosts, addresses, or ranges such as 10.1.0.0/16. */
  LIVERL_WEBHOOK_ALLOW: z
    .string()
    .default("")
    .transform((text) => text.split(",").flatMap((part) => part.trim().toLowerCase() || []))
    .pipe(
      z.array(
        z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6(), z.hostname()], {
          error: "write hosts, addresses or ranges, such as alerts.internal,10.1.0.0/16",
        }),
      ),
    ),
  /** Folders that launches may read a Ray cluster's token from, beside ~/.ray and RAY_AUTH_TOKEN_PATH. */
  LIVERL_TOKEN_DIRS: OwnPaths,
  RAY_AUTH_TOKEN_PATH: FoundPaths,
  /** Kubeconfigs that launches may name, or folders with them, beside KUBECONFIG and ~/.kube/config. */
  LIVERL_KUBECONFIGS: OwnPaths,
  KUBECONFIG: FoundPaths,
  /** Folders with Pythons or virtual environments that launches may name, beside PATH and ~/.pyenv/versions. */
  LIVERL_PYTHON_DIRS: OwnPaths,
  PATH: FoundPaths,
  LIVERL_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal"]).default("info"),
});
export type Env = z.infer<typeof Env>;

/** Throws with one line for each bad variable. */
export function readEnv(): Env {
  const parsed = Env.safeParse(process.env);
  if (parsed.success) return parsed.data;
  throw new Error(
    parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n"),
  );
}

/** Where the trial runner's sandboxes are, what Docker's and Kubernetes' clients read to find them, and what agents of Python are made with. */
const SANDBOXES =
  /^(DOCKER_\w+|SSH_AUTH_SOCK|KUBECONFIG|KUBERNETES_SERVICE_(HOST|PORT)|LIVERL_SANDBOX|LIVERL_KUBE_\w+|LIVERL_TASK_IMAGE_PREFIX|LIVERL_PYTHON|PYTHONPATH)$/;

/**
 * What the trial runner gets. A task may ask for a variable of this host by `${NAME}`, and what it gets may leave with its
 * agent: so only those that `LIVERL_TASK_VARIABLES` names, parted by commas.
 */
export function runnerEnv(): Record<string, string> {
  const allowed = new Set((process.env.LIVERL_TASK_VARIABLES ?? "").split(",").filter(Boolean));
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && (SANDBOXES.test(name) || allowed.has(name)) ? [[name, value]] : [],
  );
  return { ...childEnv(), ...Object.fromEntries(kept) };
}

/** What child processes get: enough to run a program, none of our secrets. */
export function childEnv(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ"]) {
    const value = process.env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
