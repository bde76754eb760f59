import { AlertCondition } from "@liverl/contract/alert";
import { CliError, EXIT } from "#exit-code.ts";

/** The flags that say when a rule fires. */
export interface ConditionFlags {
  sign?: string[];
  word?: string[];
  status?: string[];
  metric?: string;
  above?: number;
  below?: number;
  rises?: number;
  falls?: number;
  moves?: number;
  z?: number;
  steps?: number;
}

const WAYS = `Say when it fires, in one way: --sign, --word or --status; or --metric with one of --above, --below, --rises, --falls,
--moves (percent) or --z (deviations).`;

/** When a rule fires, from its flags; null where none of them is given. Pure. */
export function parseCondition(flags: ConditionFlags): AlertCondition | null {
  const found = [...fromLists(flags), ...fromMetric(flags)];
  const names: (keyof ConditionFlags)[] = ["metric", "steps"];
  const isAsked = found.length > 0 || names.some((name) => flags[name] !== undefined);
  if (!isAsked) return null;
  const [condition, ...more] = found;
  if (condition === undefined || more.length > 0) throw new CliError(EXIT.usage, WAYS);
  const read = AlertCondition.safeParse(condition);
  if (read.success) return read.data;
  throw new CliError(EXIT.usage, read.error.issues.map(({ message }) => message).join("; "));
}

function fromLists({ sign, word, status }: ConditionFlags): object[] {
  return [
    ...(sign ? [{ kind: "sign", signs: sign }] : []),
    ...(word ? [{ kind: "word", words: word }] : []),
    ...(status ? [{ kind: "status", statuses: status }] : []),
  ];
}

function fromMetric({ metric, steps, z, ...flags }: ConditionFlags): object[] {
  const sides = (["above", "below"] as const).flatMap((side) => {
    const value = flags[side];
    return value === undefined ? [] : [{ kind: "threshold", metric, side, value, steps }];
  });
  const changes = (["rises", "falls", "moves"] as const).flatMap((direction) => {
    const percent = flags[direction];
    return percent === undefined ? [] : [{ kind: "change", metric, direction, percent, steps }];
  });
  const far = z === undefined ? [] : [{ kind: "z-score", metric, z, window: steps }];
  const found = [...sides, ...changes, ...far];
  if (found.length > 0 && metric === undefined)
    throw new CliError(EXIT.usage, "Name the metric that is watched: --metric KEY.");
  return found;
}
