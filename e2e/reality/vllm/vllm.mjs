// Real vLLM processes on this machine's CPU, set up and served by the scripts beside this file.
import { spawn, spawnSync } from "node:child_process";
import { openSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const BOOT_MS = 300_000;
export const MAX_MODEL_LEN = 4096;

/** Makes `directory` ready; gives the reason where it can not. */
export function setUp(directory) {
  const { status, stderr } = spawnSync("nice", ["-n", "10", join(here, "setup.sh"), directory], {
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
  });
  return status === 0
    ? null
    : `setup.sh failed: ${stderr.trim().split("\n").slice(-3).join(" | ")}`;
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export class Vllm {
  #child;

  /** `environment`: what serve.sh knows, `{DEV, SCALE_OUT}`. */
  static async start(directory, environment, logPath) {
    const vllm = new Vllm();
    const port = await freePort();
    vllm.url = `http://127.0.0.1:${port}`;
    const log = openSync(logPath, "w");
    vllm.#child = spawn(join(here, "serve.sh"), [directory, String(port)], {
      env: { ...process.env, MAX_MODEL_LEN: String(MAX_MODEL_LEN), ...environment },
      stdio: ["ignore", log, log],
      // A group of its own: killing it kills the engine's and the worker's processes with it.
      detached: true,
    });
    process.once("exit", () => vllm.kill());
    vllm.ended = new Promise((resolve) => vllm.#child.once("exit", resolve));
    return vllm;
  }

  async ready() {
    for (const deadline = Date.now() + BOOT_MS; Date.now() < deadline; await sleep(500)) {
      if (this.#child.exitCode !== null) throw new Error("vLLM ended while it started");
      const answer = await fetch(`${this.url}/health`).catch(() => null);
      if (answer?.status === 200) return;
    }
    throw new Error(`vLLM was not ready in ${BOOT_MS / 1000} s`);
  }

  kill(signal = "SIGKILL") {
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      // It is gone already.
    }
  }
}

/** Once more where the kept connection was one that vLLM closes after 5 s: everything that is asked here may be asked twice. */
const ask = (url, init) => fetch(url, init).catch(() => fetch(url, init));

/** The value of one of vLLM's series, summed over its labels. */
export async function gauge(url, name) {
  const text = await (await ask(`${url}/metrics`)).text();
  return text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

export async function post(url, path, body) {
  const answer = await ask(url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  const text = await answer.text();
  return text === "" ? null : JSON.parse(text);
}

/** Log-prob of each id given those before it, as the engine computes it now; the first has none. */
export async function promptLogprobs(url, ids) {
  const body = { prompt: ids, max_tokens: 1, prompt_logprobs: 0, add_special_tokens: false };
  const scored = await post(url, "/v1/completions", body);
  return scored.choices[0].prompt_logprobs.map((entry, i) => entry?.[ids[i]]?.logprob ?? null);
}
