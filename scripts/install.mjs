// Installs what is missing and nothing else. Node's own modules only: it runs before there are any others.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
// Not by name: a Node that is too old lacks some, and would fail before it can be told so.
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const { existsSync, readdirSync, readFileSync, writeFileSync } = fs;
const root = fileURLToPath(new URL("..", import.meta.url));
const NEEDED_NODE = [20, 19];
const NEEDED_BYTES = 2 * 1024 ** 3;

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

/** `dev: false` leaves out what only tests need; an install with them serves both. */
export function install({ dev, fail }) {
  const stampPath = join(root, "node_modules/.liverl-install");
  const [kind, digest] = existsSync(stampPath) ? readFileSync(stampPath, "utf8").split(" ") : [];
  if (digest === manifestDigest() && (kind === "all" || !dev)) return;
  const { bavail, bsize } = fs.statfsSync(root);
  if (bavail * bsize < NEEDED_BYTES) {
    fail(
      `Installing needs 2 GB and the disk of ${root} has ${((bavail * bsize) / 1024 ** 3).toFixed(1)} GB free: free some space and run the same command again.`,
    );
  }
  process.stderr.write("Installing packages (the first time takes a minute or two)\n");
  const omit = dev || kind === "all" ? [] : ["--omit=dev"];
  const done = spawnSync(
    "npm",
    // The lock file is as it was committed, also where npm would add this platform's packages to it.
    ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", ...omit],
    {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  if (done.status !== 0)
    fail(
      "`npm install` failed; the lines above say why. Check the network or the registry setting and run the same command again.",
    );
  writeFileSync(stampPath, `${omit.length ? "start" : "all"} ${manifestDigest()}`);
}
