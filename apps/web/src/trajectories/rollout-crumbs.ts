import type { RolloutRow } from "@liverl/contract/views";
import type { Crumb } from "#shell/crumbs.tsx";
import { groupHref, stepHref } from "#shell/links.ts";

/** Where a rollout stands: its step, its task's group, itself; its id while no more is known. */
export function rolloutCrumbs(
  rollout: RolloutRow | undefined,
  project: string,
  runId: string,
  rolloutId: string,
): Crumb[] {
  if (!rollout) return [{ label: rolloutId }];
  const step: Crumb[] =
    rollout.step === null
      ? []
      : [
          {
            label: `Step ${rollout.step}`,
            href: stepHref(project, runId, rollout.step, rollout.mode),
          },
        ];
  return [
    ...step,
    { label: rollout.taskName, href: groupHref(project, runId, rollout.groupId) },
    { label: `Rollout ${rollout.index + 1}` },
  ];
}
