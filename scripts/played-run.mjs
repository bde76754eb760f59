// The run that pages show of what is played: made, kept fresh and ended over the metrics API of control.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stop } from "./read-options.mjs";

/** A page calls data of two minutes old, and a long trial is not silence. */
const FRESH_MS = 30_000;
/** How long control may be away when the run ends, as when it is restarted. */
const AWAY_MS = 60_000;

export class PlayedRun {
  #name;
  #beat;
  /** Played and rewards so far; a step is a trial that ended. */
  #rewards = [];
  #withoutReward = 0;

  /** `name` is of this play alone: the metrics API takes a second run of a name for the first one. */
  constructor(dataDir, project, name) {
    this.dataDir = dataDir;
    this.project = project;
    this.#name = name;
  }

  #read(name) {
    return readFileSync(join(this.dataDir, name), "utf8");
  }

  /** Makes the run. Ends with control's words where it can not. */
  async open(config) {
    try {
      const { url } = JSON.parse(this.#read("liverl.json"));
      const { runId } = await this.#log({ config, tags: ["play"], rows: this.#rows() });
      this.id = runId;
      this.url = `${url}/p/${this.project}/runs/${runId}`;
    } catch (error) {
      stop(`No run could be made: ${error.cause?.message ?? error.message}`);
    }
    // Control that is away for a moment misses nothing: the next one says all.
    const tell = () => this.#log({ rows: this.#rows() }).catch(() => undefined);
    this.#beat = setInterval(tell, FRESH_MS);
  }

  /** Counts a trial that ended. */
  async tell({ reward }) {
    if (reward === null) this.#withoutReward++;
    else this.#rewards.push(reward);
    await this.#log({ rows: this.#rows() }).catch(() => undefined);
  }

  /** Mean of all rewards; null before the first. */
  get mean() {
    const sum = this.#rewards.reduce((total, reward) => total + reward, 0);
    return this.#rewards.length === 0 ? null : sum / this.#rewards.length;
  }

  /** `status`: succeeded, failed or cancelled. From then on nobody waits for news of it. */
  async end(status) {
    clearInterval(this.#beat);
    const away = Date.now() + AWAY_MS;
    for (;;) {
      try {
        return await this.#log({ status });
      } catch (error) {
        if (Date.now() > away) {
          process.stderr.write(`${this.id} could not be marked as ended: ${error.message}\n`);
          return;
        }
        await sleep(1_000);
      }
    }
  }

  #rows() {
    const values = { "play/without_reward": this.#withoutReward };
    if (this.mean !== null) values["play/reward_mean"] = this.mean;
    return [{ step: this.#rewards.length + this.#withoutReward, values }];
  }

  async #log(content) {
    const { url } = JSON.parse(this.#read("liverl.json"));
    const answer = await fetch(`${url}/api/v1/metrics`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#read("ingest.token").trim()}` },
      body: JSON.stringify({ project: this.project, run: this.#name, ...content }),
    });
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.error?.message ?? `control answers ${answer.status}`);
    return told;
  }
}
