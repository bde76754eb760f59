import { withoutProcessPrefix } from "@liverl/contract/process-prefix";
import type { LogLine } from "@liverl/contract/views";

/** What names a level stands at the start of a line. */
const HEAD = 300;
/** Python's logging, Hydra's, loguru, Ray and vLLM: the level first, or behind a time and a name in brackets. */
const NAMED =
  /^(?:[[(]?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,\d]{0,12}(?:Z|[+-]\d\d:?\d\d)?[\])]?[\s|:-]{0,9}(?:\[[\w.]{1,100}\]\s?)?)?[[(|]?\s{0,9}(TRACE|DEBUG|INFO|SUCCESS|WARN|WARNING|ERROR|CRITICAL|FATAL)(?=[\s:\])|,]|$)/;
/** glog, absl and c10: `W1120 20:51:28.5 …`, in brackets too. */
const GLOG = /^\[?([IWEF])\d{4} \d\d:\d\d:\d\d/;
const PYTHON_WARNING = /^\S+:\d+: \w*Warning: /;
const PYTHON_ERROR =
  /^(?:Traceback \(most recent call last\):|(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Interrupt)(?:\b: |\(.*\): |$)| {2}File ".+", line \d+)/;

const BY_WORD: Record<string, LogLine["level"]> = {
  TRACE: "trace",
  DEBUG: "debug",
  INFO: "info",
  SUCCESS: "info",
  WARN: "warn",
  WARNING: "warn",
  ERROR: "error",
  CRITICAL: "fatal",
  FATAL: "fatal",
  ...{ I: "info", W: "warn", E: "error", F: "fatal" },
};

/** The level that a line of a Python program says of itself, without control sequences; `unknown` where it says none. Pure. */
export function levelOfLine(text: string): LogLine["level"] {
  const said = withoutProcessPrefix(text.slice(0, 2 * HEAD)).slice(0, HEAD);
  const word = NAMED.exec(said)?.[1] ?? GLOG.exec(said)?.[1];
  if (word !== undefined) return BY_WORD[word] ?? "unknown";
  if (PYTHON_WARNING.test(said)) return "warn";
  return PYTHON_ERROR.test(said) ? "error" : "unknown";
}
