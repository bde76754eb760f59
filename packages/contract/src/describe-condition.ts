import type { AlertCondition } from "#alert.ts";
import { VERDICT_SIGNS } from "#verdict-sign.ts";

const DIRECTIONS = { rises: "rises", falls: "falls", moves: "moves" } as const;

/** When a rule fires, in one line. */
export function describeCondition(condition: AlertCondition): string {
  switch (condition.kind) {
    case "threshold":
      return `${condition.metric} ${condition.side} ${condition.value}${condition.steps > 1 ? ` for ${condition.steps} steps` : ""}`;
    case "change":
      return `${condition.metric} ${DIRECTIONS[condition.direction]} by ${condition.percent} % over ${condition.steps} steps`;
    case "z-score":
      return `${condition.metric} ${condition.z} deviations off the median of ${condition.window} steps`;
    case "status":
      return `the run is ${condition.statuses.join(" or ")}`;
    case "word":
      return `the verdict is ${condition.words.join(" or ")}`;
    case "sign":
      return condition.signs.map((sign) => VERDICT_SIGNS[sign]).join(" · ");
  }
}
