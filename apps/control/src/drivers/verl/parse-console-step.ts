import { stripVTControlCharacters } from "node:util";

const STEP = /(?:^|\s)step:(\d{1,10}) - /;
/** numpy's scalars print as `np.float64(0.5)` since numpy 2. */
const PAIR = /^(.+):(?:np\.\w+\()?(-?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|inf)|nan|True|False)\)?$/;

/** What verl's file logger would have written of a step: numbers, and words where a number is none. */
export interface ConsoleStep {
  step: number;
  data: Record<string, number | "NaN" | "Infinity" | "-Infinity">;
}

/**
 * A line of verl's console logger, `step:3 - actor/loss:0.1 - …` (verl/utils/logger/aggregate_logger.py,
 * concat_dict_to_str), with the colours and the `(TaskRunner pid=7)` that Ray puts before it; null for every other line.
 */
export function parseConsoleStep(line: string): ConsoleStep | null {
  const text = stripVTControlCharacters(line);
  const found = STEP.exec(text);
  if (!found) return null;
  const step = found[1] ?? "";
  const rest = text.slice(found.index + found[0].length);
  const data: ConsoleStep["data"] = {};
  for (const part of rest.trim().split(" - ")) {
    const [, key, value] = PAIR.exec(part) ?? [];
    if (key !== undefined && value !== undefined) data[key] = numberOf(value);
  }
  return Object.keys(data).length === 0 ? null : { step: Number(step), data };
}

function numberOf(text: string): ConsoleStep["data"][string] {
  switch (text) {
    case "nan":
      return "NaN";
    case "inf":
      return "Infinity";
    case "-inf":
      return "-Infinity";
    case "True":
      return 1;
    case "False":
      return 0;
    default:
      return Number(text);
  }
}
