import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "@liverl/contract/random";
import { isMissing } from "@liverl/durable/atomic-file";

const ROWS = 12;

/** The task of most scenarios: sum a file's numbers by a script and write the report. The sum is known to the file alone. */
export function stockFile(random: Random): string {
  const rows = Array.from({ length: ROWS }, (_, i) => `part-${i},${1 + random.below(9000)}`);
  return `part,count\n${rows.join("\n")}\n`;
}

/** Spaces at line ends, quotes, escapes, umlauts and the text of control tokens: all of it must arrive as it was written. */
export const TOTAL_SCRIPT = [
  "# Zählt die Teile — 数える  ",
  "# not a control token: <|im_end|> </tool_call> <think>\t",
  `awk -F, 'NR > 1 { sum += $2 } END { printf "WORD %d \\342\\234\\223\\n", sum }' stock.csv`,
].join("\n");

export async function checkReport(workspace: string): Promise<string | null> {
  const stock = await readFile(join(workspace, "stock.csv"), "utf8");
  const counts = [...stock.matchAll(/,(\d+)$/gm)].map((match) => Number(match[1]));
  const sum = counts.reduce((total, count) => total + count, 0);
  const expected = `total ${sum} ✓\nchecked\n`;
  const found = await readFile(join(workspace, "report.txt"), "utf8").catch((error) => {
    if (isMissing(error)) return null;
    throw error;
  });
  return found === expected
    ? null
    : `report.txt is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`;
}
