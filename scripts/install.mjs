// Installs what is missing and nothing else. Node's own modules only: it runs before there are any others.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
// Not by name: a Node that is too old lacks some, and would fail before it can be told so.
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } = fs;
const root = fileURLToPath(new URL("..", import.meta.url));
const NEEDED_NODE = [20, 19];
const NEEDED_BYTES = 2 * 1024 ** 3;
const PROGRESS_MS = 500;

/** Says why nothing can be done, and ends. */
export function stop(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

export function checkNode(fail) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > NEEDED_NODE[0] || (major === NEEDED_NODE[0] && minor >= NEEDED_NODE[1])) return;
  fail(
    `LiveRL needs Node ${NEEDED_NODE.join(".")} or newer and this is ${process.version}: install a newer Node and run the same command again.`,
  );
}

/** Node 20 runs LiveRL, and gets no security fixes any more. */
export function warnOfOldNode() {
  if (Number(process.versions.node.split(".")[0]) > 20) return;
  process.stderr.write(
    `Warning: Node ${process.version} has had no security fixes since April 2026. Install Node 22 or 24.\n`,
  );
}

/** Digest of every manifest: when it changes, an install is due. */
function manifestDigest() {
  const digest = createHash("sha256");
  const folders = ["apps", "packages"].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(parent, name)),
  );
  for (const folder of [".", "prisma", ...folders]) {
    for (const name of ["package.json", "package-lock.json", ".npmrc"]) {
      const path = join(root, folder, name);
      if (existsSync(path)) digest.update(`${folder}/${name}\0`).update(readFileSync(path));
    }
  }
  return digest.digest("hex");
}

/** Folders of the packages that npm will put in place on this machine. */
function expectedPackages(withDev) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const { platform, arch } = process;
  const fits = (allowed, own) => !allowed || allowed.includes(own);
  // npm reads a missing `libc` as any; the report has a glibc version on glibc systems alone.
  const libc = process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl";
  return Object.entries(packages).flatMap(([folder, { dev, link, os, cpu, libc: libcs }]) =>
    folder.includes("node_modules/") &&
    !link &&
    (withDev || !dev) &&
    fits(os, platform) &&
    fits(cpu, arch) &&
    (platform !== "linux" || fits(libcs, libc))
      ? [folder]
      : [],
  );
}

/** One line that counts packages: rewritten in a terminal, printed at every tenth elsewhere. Answers with what ends it. */
function showProgress(folders) {
  const isTerminal = process.stderr.isTTY === true;
  const missing = new Set(folders);
  let shown = -1;
  const show = () => {
    for (const folder of missing)
      if (existsSync(join(root, folder, "package.json"))) missing.delete(folder);
    const done = folders.length - missing.size;
    const isNews = isTerminal ? done > shown : done - shown >= folders.length / 10;
    if (!isNews) return;
    shown = done;
    const line = `Installing packages: ${done} of ${folders.length}`;
    process.stderr.write(isTerminal ? `\r\x1b[2K${line}` : `${line}\n`);
  };
  show();
  const timer = setInterval(show, PROGRESS_MS);
  return () => {
    clearInterval(timer);
    show();
    if (isTerminal) process.stderr.write("\n");
  };
}

/** onnxruntime-node ships its library for every platform: 240 MB of the others'. */
function removeForeignBinaries() {
  const bin = join(root, "node_modules/onnxruntime-node/bin");
  if (!existsSync(bin)) return;
  for (const api of readdirSync(bin))
    for (const os of readdirSync(join(bin, api)))
      for (const cpu of readdirSync(join(bin, api, os)))
        if (os !== process.platform || cpu !== process.arch)
          rmSync(join(bin, api, os, cpu), { recursive: true, force: true });
}

/** Resolves with npm's exit status. */
function runNpm(args) {
  return new Promise((resolve) => {
    const npm = spawn("npm", args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    npm.once("error", () => resolve(1));
    npm.once("close", (status) => resolve(status));
  });
}

/** `dev: false` leaves out what only tests need; an install with them serves both. */
export async function install({ dev, fail }) {
  const stampPath = join(root, "node_modules/.liverl-install");
  const [kind, digest] = existsSync(stampPath) ? readFileSync(stampPath, "utf8").split(" ") : [];
  if (digest === manifestDigest() && (kind === "all" || !dev)) return;
  const { bavail, bsize } = fs.statfsSync(root);
  if (bavail * bsize < NEEDED_BYTES) {
    fail(
      `Installing needs 2 GB and the disk of ${root} has ${((bavail * bsize) / 1024 ** 3).toFixed(1)} GB free: free some space and run the same command again.`,
    );
  }
  const omit = dev || kind === "all" ? [] : ["--omit=dev"];
  const endProgress = showProgress(expectedPackages(omit.length === 0));
  // The lock file is as it was committed, also where npm would add this platform's packages to it.
  const status = await runNpm([
    ...["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", ...omit],
  ]);
  endProgress();
  if (status !== 0)
    fail(
      "`npm install` failed; the lines above say why. Check the network or the registry setting and run the same command again.",
    );
  removeForeignBinaries();
  writeFileSync(stampPath, `${omit.length ? "start" : "all"} ${manifestDigest()}`);
}
