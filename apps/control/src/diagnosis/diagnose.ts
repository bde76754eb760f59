import type { RunDiagnosis } from "@liverl/contract/run";
import { chooseCause } from "#diagnosis/choose-cause.ts";
import { ErrorIndex } from "#diagnosis/error-index.ts";

/** The cause that a whole log shows; null where it holds no error. Pure. */
export function diagnose(log: string): RunDiagnosis | null {
  const index = new ErrorIndex();
  let offset = 0;
  for (const line of log.split("\n")) {
    index.feed(offset, line);
    offset += Buffer.byteLength(line) + 1;
  }
  return chooseCause(index.found);
}
