import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { AppError } from "@liverl/contract/app-error";

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

/** Where the adapter looks for the proxy's program: beside its own files. */
const PROXY_FOLDER = `${PACKAGE}/proxy`;
/** Below `dist`: the proxy with all its packages, for machines without this checkout. */
export const STAND_ALONE_PROXY = "stand-alone/liverl-proxy.mjs";

/** The stand-alone proxy's files by their path beside the adapter's. Throws a BAD_REQUEST where it was not built. */
export async function collectProxy(dist: string): Promise<Map<string, string | Uint8Array>> {
  const folder = join(dist, "stand-alone");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (cause: unknown) => {
      throw new AppError("BAD_REQUEST", {
        userMessage: `The proxy for training hosts is not built at ${folder}: run npm run build.`,
        cause,
      });
    },
  );
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const contents = await Promise.all(
    paths.map((path) => readFile(path, path.endsWith(".node") ? null : "utf8")),
  );
  return new Map(
    paths.map((path, i) => [`${PROXY_FOLDER}/${relative(folder, path)}`, contents[i] ?? ""]),
  );
}
