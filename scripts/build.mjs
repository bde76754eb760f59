// Bundles every process into dist/*.mjs: our own rooms are inlined, third-party packages stay external.
// `--only=a,b` builds those alone (`stand-alone`: the proxy with its packages); without it the web app is built too when its sources changed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const only = process.argv
  .find((a) => a.startsWith("--only="))
  ?.slice(7)
  .split(",");
const ENTRIES = {
  control: "apps/control/src/main.ts",
  "ingest-worker": "apps/control/src/metrics/ingest-worker.ts",
  proxy: "packages/proxy/src/main.ts",
  "relay-worker": "packages/proxy/src/relay/main.ts",
  runner: "packages/runner/src/main.ts",
  "liverl-runner": "packages/runner/src/joined/main.ts",
  "agent-worker": "packages/runner/src/scaffolds/agent-worker.ts",
  "sandbox-tunnel": "packages/runner/src/scaffolds/tunnel/tunnel-inside.ts",
  "code-worker": "packages/runner/src/verifier/code-worker.ts",
  engine: "packages/embedded/src/engine/main.ts",
  trainer: "packages/embedded/src/trainer/main.ts",
  model: "packages/embedded/src/model/main.ts",
  "direct-loop": "bench/direct-loop.ts",
  "admin-client": "packages/proxy/src/admin-client.ts",
  "fuzz-request": "packages/proxy/src/testing/fuzz/fuzz-request.ts",
  "fuzz-fault": "packages/proxy/src/testing/fuzz/fault-of.ts",
  "reality-agents": "e2e/reality/agents/main.ts",
  "many-pods": "e2e/reality/kubernetes/many-pods.ts",
  "two-policies": "bench/two-policies.ts",
  "render-parity": "e2e/reality/render-parity/main.ts",
  "harbor-parity": "e2e/reality/harbor/main.ts",
  "replay-updates": "packages/embedded/src/audit/replay-main.ts",
  "audit-logprobs": "packages/embedded/src/audit/main.ts",
  audit: "packages/runner/src/audit/main.ts",
  liverl: "packages/cli/src/main.ts",
};

/** Third-party packages are loaded from node_modules; `@liverl/*` and `#…` are bundled. */
const externalThirdParty = {
  name: "external-third-party",
  setup(b) {
    b.onResolve({ filter: /^[^.#/]/ }, (args) =>
      args.kind === "entry-point" || args.path.startsWith("@liverl/")
        ? undefined
        : { path: args.path, external: true },
    );
  },
};

async function buildProcesses() {
  const wanted = Object.entries(ENTRIES).filter(
    ([name, path]) => (!only || only.includes(name)) && existsSync(join(root, path)),
  );
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(wanted),
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    sourcemap: "linked",
    plugins: [externalThirdParty],
    logLevel: "warning",
  });
}

/** `dist/python`: what the runner gives to Python, as it is. */
function copyPython() {
  if (only && !only.includes("runner")) return;
  const to = join(root, "dist/python");
  rmSync(to, { recursive: true, force: true });
  cpSync(join(root, "packages/runner/python"), to, {
    recursive: true,
    filter: (path) => !path.endsWith("__pycache__"),
  });
}

/** What can not be bundled: a package of native code. Training hosts run Linux. */
const NATIVE = {
  name: "tokenizers",
  files: [
    "package.json",
    "index.js",
    "tokenizers.linux-x64-gnu.node",
    "tokenizers.linux-arm64-gnu.node",
  ],
};

/** `dist/stand-alone`: the proxy with all that it needs but Node itself, for machines without this checkout. */
async function buildStandAlone() {
  const folder = join(root, "dist/stand-alone");
  const entry = join(root, ENTRIES.proxy);
  if (!existsSync(entry)) return;
  await build({
    absWorkingDir: root,
    entryPoints: { "liverl-proxy": entry },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    minify: true,
    keepNames: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    external: [NATIVE.name],
    // CommonJS packages inside an ES module ask for Node's own modules by `require`.
    banner: {
      js: 'import { createRequire as liverlRequire } from "node:module"; const require = liverlRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  const native = join(folder, "node_modules", NATIVE.name);
  mkdirSync(native, { recursive: true });
  for (const name of NATIVE.files) {
    const source = join(root, "node_modules", NATIVE.name, name);
    if (existsSync(source)) copyFileSync(source, join(native, name));
  }
}

function* filesUnder(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.name === "node_modules" || entry.name === ".next" || entry.name === "dist") continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* filesUnder(path);
    else yield path;
  }
}

/** Digest of everything that the web build reads, so that an unchanged app is not built again. */
function webDigest() {
  const digest = createHash("sha256");
  for (const place of ["apps/web", "packages/contract/src", "package-lock.json"]) {
    const path = join(root, place);
    if (!existsSync(path)) continue;
    for (const file of place.endsWith(".json") ? [path] : [...filesUnder(path)].sort()) {
      if (file.endsWith(".tsbuildinfo") || file.endsWith("next-env.d.ts")) continue;
      digest.update(relative(root, file)).update("\0").update(readFileSync(file));
    }
  }
  return digest.digest("hex");
}

/** Next's own lines about where it is; its table of routes is left out. */
const STAGE = /^\s*(?:✓ )?((?:Creating|Compiled|Collecting|Generating|Finalizing).*)$/;

async function buildWeb() {
  if (!existsSync(join(root, "apps/web/next.config.ts"))) return;
  const stamp = join(root, "apps/web/.next/liverl-digest");
  const digest = webDigest();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return;
  // A build that is cut leaves half a one behind, which no earlier stamp may vouch for.
  rmSync(stamp, { force: true });
  process.stderr.write("Building the pages\n");
  const next = spawn(process.execPath, [join(root, "node_modules/next/dist/bin/next"), "build"], {
    cwd: join(root, "apps/web"),
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  createInterface({ input: next.stdout }).on("line", (line) => {
    const stage = STAGE.exec(line)?.[1];
    if (stage) process.stderr.write(`  ${stage}\n`);
  });
  const [status] = await once(next, "close");
  if (status !== 0) process.exit(1);
  writeFileSync(stamp, digest);
}

mkdirSync(join(root, "dist"), { recursive: true });
await buildProcesses();
copyPython();
if (!only || only.includes("stand-alone")) await buildStandAlone();
if (!only) await buildWeb();
