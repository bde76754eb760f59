import type { PlanLaunchResult } from "@liverl/contract/launch";
import { duration } from "#output/format-value.ts";

const SIGN = { pass: "pass", warn: "WARN", fail: "FAIL" } as const;

/** What a launch would do, and what the preflight says of it. */
export function describePlan({ plan, preflight }: PlanLaunchResult): string[] {
  return [
    ...(plan
      ? [
          `${plan.batchRollouts} rollouts a step, ${plan.totalRollouts} in all, ${plan.optimizerSteps} optimizer steps`,
          ...(plan.estimate
            ? [
                `about ${duration(plan.estimate.stepS)} a step, ${duration(plan.estimate.totalS)} in all`,
              ]
            : []),
          ...plan.processes.map(({ name, argv }) => `${name}: ${argv.join(" ")}`),
        ]
      : []),
    ...preflight.flatMap(({ status, title, why, fix }) => [
      `${SIGN[status]}  ${title}: ${why}`,
      ...(fix && status !== "pass"
        ? [`      ${fix.label}: --set ${fix.path}=${JSON.stringify(fix.value)}`]
        : []),
    ]),
  ];
}
