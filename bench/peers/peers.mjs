// The proxies that we measure ourselves against: installed from PyPI at the versions that each setup.sh pins, into `.cache/peers`.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { say, until } from "../liverl.mjs";
import { endWithUs } from "../proxy-process.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const cache = fileURLToPath(new URL("../../.cache/peers", import.meta.url));
const INSTALL_MS = 1_200_000;

/** `captures`: keeps what was sampled. `times`: how much more turns a second we want than it has. */
export const PEERS = {
  "rllm-gateway": {
    captures: true,
    times: 5,
    isReady: (url) => answers(`${url}/health`),
    sessionOf: (url, name) => ({ name, url: `${url}/sessions/${name}/v1`, key: "none" }),
  },
  "agent-lightning": {
    captures: true,
    times: 5,
    isReady: (_, directory, port) => existsSync(join(directory, `ready-${port}`)),
    sessionOf: (url, name) => ({
      name,
      url: `${url}/proxy/rollout/bench/attempt/${name}/mode/train/openai/v1`,
      key: "none",
    }),
  },
  litellm: {
    captures: false,
    times: 3,
    isReady: (url) => answers(`${url}/health/liveliness`),
    sessionOf: (url, name, directory, port) => ({
      name,
      url: `${url}/v1`,
      key: readFileSync(join(directory, `key-${port}`), "utf8"),
    }),
  },
  verifiers: {
    captures: false,
    times: 2,
    isReady: (url) => listens(url),
    sessionOf: (url, name) => ({ name, url: `${url}/v1`, key: name }),
  },
};

export async function answers(url) {
  return (await fetch(url, { signal: AbortSignal.timeout(2000) })).ok;
}

async function listens(url) {
  await fetch(url, { signal: AbortSignal.timeout(2000) });
  return true;
}

/** Python 3.12, as all of them install on it; `PYTHON` wins. */
function findPython() {
  const pyenv = join(homedir(), ".pyenv/versions");
  const versions = existsSync(pyenv) ? readdirSync(pyenv) : [];
  const candidates = [
    process.env.PYTHON,
    "python3.12",
    ...versions
      .filter((name) => name.startsWith("3.12"))
      .map((name) => join(pyenv, name, "bin/python3.12")),
    "python3",
  ].filter(Boolean);
  const isRight = "import sys, venv; sys.exit(sys.version_info[:2] != (3, 12))";
  return candidates.find((python) => spawnSync(python, ["-c", isRight]).status === 0) ?? null;
}

/** Where the peer is installed, or why it can not be. */
function install(name) {
  const directory = join(cache, name);
  const setup = join(here, name, "setup.sh");
  const digest = createHash("sha256").update(readFileSync(setup)).digest("hex");
  const stamp = join(directory, "installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return { directory };
  const python = findPython();
  if (!python) return { why: "Python 3.12 is not here (PYTHON names it)" };
  say(`installing ${name} from PyPI`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const { status, stderr } = spawnSync("sh", [setup, directory], {
    env: { ...process.env, PYTHON: python },
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    timeout: INSTALL_MS,
  });
  if (status !== 0)
    return { why: `not installed: ${stderr.trim().split("\n").at(-1) || "it took too long"}` };
  writeFileSync(stamp, digest);
  return { directory };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Starts the peer in front of `engineUrl`: `{pid, sessionOf, stop}`; or `{why}` where it is not to be had. */
export async function startPeer(name, engineUrl) {
  const { sessionOf } = PEERS[name];
  const peer = await startServer(name, PEERS[name], engineUrl);
  if (peer.why) return peer;
  const { url, directory, port } = peer;
  return { ...peer, sessionOf: (session) => sessionOf(url, session, directory, port) };
}

/** Starts `NAME/start.sh` on a free port: `{pid, url, directory, port, stop}`; or `{why}`. */
export async function startServer(name, { isReady }, ...more) {
  const { directory, why } = install(name);
  if (why) return { why };
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn("sh", [join(here, name, "start.sh"), directory, String(port), ...more], {
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (bytes) => {
    said = (said + bytes).slice(-1000);
  });
  const end = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  };
  endWithUs(child, end);
  try {
    await until(
      () => {
        if (child.exitCode !== null) throw new Error(said);
        return isReady(url, directory, port);
      },
      { what: name, timeoutMs: 150_000 },
    );
  } catch (error) {
    end();
    return { why: `it does not start: ${error.message}` };
  }
  return { pid: child.pid, url, directory, port, stop: end };
}
