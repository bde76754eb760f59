// The trial runner of a LiveRL that runs, asked over its admin port.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { stop } from "./read-options.mjs";

/** How long it may be away, as when it is restarted. */
const AWAY_MS = 60_000;
const TAIL_LINES = 12;

export class TrialRunner {
  /** Ends where no LiveRL runs on the folder. */
  constructor(dataDir) {
    this.dataDir = resolve(dataDir);
    if (!existsSync(join(this.dataDir, "runner/port")))
      stop(`No LiveRL runs on ${this.dataDir}: start it, or name its folder as --data-dir.`);
  }

  #read(name) {
    return readFileSync(join(this.dataDir, "runner", name), "utf8").trim();
  }

  async #ask(method, path, body) {
    const away = Date.now() + AWAY_MS;
    for (;;) {
      let why;
      try {
        const answer = await fetch(`http://127.0.0.1:${this.#read("port")}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${this.#read("admin.token")}`,
            "content-type": "application/json",
          },
          body: body && JSON.stringify(body),
        });
        const content = JSON.parse((await answer.text()) || "{}");
        if (answer.status < 500) return { status: answer.status, content };
        why = content.error?.message ?? answer.status;
      } catch (error) {
        why = error.cause?.message ?? error.message;
      }
      if (Date.now() > away) stop(`The trial runner of ${this.dataDir} does not answer: ${why}`);
      await sleep(1_000);
    }
  }

  /** Makes a run known, with its engines and its agent. Why the runner refuses it, or null. */
  async register(runId, run) {
    this.project = run.project;
    const { status, content } = await this.#ask("PUT", `/api/v1/runs/${runId}`, run);
    return status < 400 ? null : faultOf(content);
  }

  /** Ends all of a run that goes on, and forgets it. */
  async remove(runId) {
    await this.#ask("DELETE", `/api/v1/runs/${runId}/trials`);
    await this.#ask("DELETE", `/api/v1/runs/${runId}`);
  }

  /** Plays a trial to its end: `{reward, error, folder}`; no reward has an error, `folder` is null where no trial began. */
  async play(request) {
    for (;;) {
      const { status, content } = await this.#ask("POST", "/api/v1/rollouts?wait=30", request);
      if (status === 202) continue;
      if (status !== 200) return { reward: null, error: faultOf(content), folder: null };
      const { reward, sessionId } = content;
      const folder = this.#folderOf(request, sessionId);
      return { reward, error: reward === null ? errorOf(content) : null, folder };
    }
  }

  #folderOf({ runId, mode, step }, sessionId) {
    const job = `${mode === "eval" ? "eval" : "step"}_${step}`;
    return join(this.dataDir, "harbor_trials", this.project, runId, job, sessionId);
  }
}

const faultOf = (content) => plain(content.error?.message ?? JSON.stringify(content));

function errorOf({ error, status, termination }) {
  if (status === "cancelled") return "cancelled";
  if (!error) return `it ended with ${termination}`;
  return plain(`${error.exception_type}: ${error.exception_message || "no message"}`);
}

/** Builds write in colours. */
const plain = (text) => stripVTControlCharacters(text).replaceAll("\r", "").trim();

/** The end of what a trial's verifier printed last, in whichever step; empty where there is nothing. */
export function verifierTail(folder) {
  const steps = join(folder, "steps");
  const homes = existsSync(steps) ? readdirSync(steps).map((name) => join(steps, name)) : [];
  const [newest] = [folder, ...homes]
    .map((home) => join(home, "verifier/test-stdout.txt"))
    .filter((path) => existsSync(path))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (newest === undefined) return "";
  return plain(readFileSync(newest, "utf8")).split("\n").slice(-TAIL_LINES).join("\n");
}

/** Every line further in. */
export const indent = (text) => text.replace(/^/gm, "    ");

/** At the first wish to end `end` is called, at the second nothing is waited for. */
export function onInterrupt(end) {
  let isAsked = false;
  const ask = () => {
    if (isAsked) process.exit(130);
    isAsked = true;
    process.stderr.write("Its trials are cancelled; once more ends this at once.\n");
    end();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, ask);
}
