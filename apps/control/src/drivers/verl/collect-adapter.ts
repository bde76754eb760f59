import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The adapter's sources in the checkout: they need nothing that verl does not bring. */
export const ADAPTER = "packages/verl-adapter/src";
const PACKAGE = "liverl_verl";

/** The adapter's Python files by their path below a folder of PYTHONPATH, in the order of their names. */
export async function collectAdapter(root: string): Promise<Map<string, string>> {
  const folder = join(root, ADAPTER, PACKAGE);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".py")).sort();
  const sources = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return new Map(names.map((name, i) => [`${PACKAGE}/${name}`, sources[i] ?? ""]));
}
