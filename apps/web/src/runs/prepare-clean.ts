import type { CleanPlan, CleanRun } from "@liverl/contract/clean-run";
import { formatBytes, formatCount } from "#ui/format-number.ts";

type Wish = Omit<CleanRun, "id">;
export interface CleanChoice {
  id: keyof Wish;
  label: string;
  /** What it is, and how much of it there is. */
  about: string;
  isPossible: boolean;
}

/** What a clean does in any case, and what may be chosen. Without a plan nothing is counted yet. */
export function prepareClean(
  plan: CleanPlan | null,
  { pods }: Wish,
): { always: string; choices: CleanChoice[] } {
  const size = (part: "logs" | "trials", about: string) =>
    plan === null ? about : `${about}: ${sizeInWords(plan[part])}`;
  const [ours, others] = [count(plan, true), count(plan, false)];
  const fault = plan?.podsFault ?? null;
  return {
    always: alwaysOf(plan),
    choices: [
      {
        ...{ id: "logs", label: "Delete its logs", isPossible: true },
        about: size("logs", "What its processes printed"),
      },
      {
        ...{ id: "trials", label: "Delete its trials", isPossible: true },
        about: size("trials", "Trajectories, tokens and files, which can not be had again"),
      },
      {
        ...{ id: "pods", label: "Remove its pods", isPossible: plan !== null && fault === null },
        about: fault ?? `Of sandboxes that no attempt owns${plan === null ? "" : `: ${ours}`}`,
      },
      ...(others > 0
        ? [
            {
              ...{ id: "force" as const, label: "Also pods that another LiveRL made" },
              ...{ about: `${others}, by their labels`, isPossible: pods },
            },
          ]
        : []),
    ],
  };
}

const count = (plan: CleanPlan | null, isOurs: boolean): number =>
  plan?.pods.filter((pod) => pod.isOurs === isOurs).length ?? 0;

function sizeInWords({ files, bytes }: CleanPlan["logs"]): string {
  if (files === 0) return "none";
  return `${formatCount(files)} ${files === 1 ? "file" : "files"}, ${formatBytes(bytes)}`;
}

function alwaysOf(plan: CleanPlan | null): string {
  if (plan === null) return "Looking what there is …";
  const { processes, leftovers } = plan;
  const alive =
    processes.length === 0 ? "No process is left" : `Processes left: ${processes.join(", ")}`;
  const hydra = leftovers.files === 0 ? "" : `; Hydra left ${sizeInWords(leftovers)}`;
  return `${alive}${hydra}.`;
}
