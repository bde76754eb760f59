import { stripVTControlCharacters } from "node:util";
import { readTail } from "#logs/read-tail.ts";

const TAIL_BYTES = 16 * 1024;
const SHOWN = 120;
/** A bar of tqdm: `Loading 8 FSDP shards:  50%|█████     | 4/8 [00:01<00:01, 3.1it/s]`. */
const BAR = /^([^%|]{1,200}):\s{1,9}(\d{1,3})%\|[^|]{0,300}\|\s{0,9}(\d{1,9}\/\d{1,9})/;
const SAYS = /^(?:Got device mesh|Processing model shards|Saving |Loading )/;

export interface MergeProgress {
  detail: string;
  share: number | null;
}

/** What a merger's newest line tells; null where it tells nothing yet. */
export async function readMergeProgress(path: string): Promise<MergeProgress | null> {
  return mergeProgress(await readTail(path, TAIL_BYTES));
}

/** Pure. */
export function mergeProgress(log: string): MergeProgress | null {
  for (const raw of log.split(/[\r\n]+/).reverse()) {
    const line = stripVTControlCharacters(raw).trim();
    const [, what, percent, count] = BAR.exec(line) ?? [];
    if (what !== undefined)
      return { detail: `${what}, ${count}`.slice(0, SHOWN), share: Number(percent) / 100 };
    if (SAYS.test(line))
      return { detail: line.split(" to /", 1)[0]?.slice(0, SHOWN) ?? "", share: null };
  }
  return null;
}
