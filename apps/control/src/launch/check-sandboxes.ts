import type { VerlSpec } from "@liverl/contract/verl-launch";
import type { Context } from "#context.ts";
import type { Check } from "#launch/preflight-check.ts";
import type { VerlEvidence } from "#launch/verl-evidence/verl-evidence.ts";

/** Whether sandboxes can start, where the run's tasks are known to need them; null where they are not. */
export async function checkSandboxes(
  { runner }: Pick<Context, "runner">,
  spec: VerlSpec,
  evidence: Pick<VerlEvidence, "train" | "val">,
): Promise<Check | null> {
  if (!needsSandboxes(spec, evidence)) return null;
  // Whether the runner itself answers is told by another check.
  const host = await runner.sandboxHost().catch(() => null);
  if (host === null) return null;
  return host.fault === null
    ? {
        status: "pass",
        title: "Sandboxes",
        why: `${host.name} answers${host.cpus === null ? "" : `, ${host.cpus} cores`}.`,
      }
    : { status: "fail", title: "No sandbox can start", why: host.fault };
}

/** Pure. A `task_ref` may be of either kind. */
export function needsSandboxes(
  { data }: Pick<VerlSpec, "data">,
  { train, val }: Pick<VerlEvidence, "train" | "val">,
): boolean {
  if (data.train_harbor_dir !== null || data.val_harbor_dir !== null) return true;
  if (data.harbor_root !== null || data.task_path_template !== null) return true;
  return [...train, ...val].some(
    (file) =>
      file.state === "read" &&
      (file.columns.includes("local_task_path") || file.extraInfo.includes("local_task_path")),
  );
}
