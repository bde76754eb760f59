import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { z } from "zod";
import { LABEL } from "#sandboxes/sandbox-labels.ts";

/** `GET /events`, a line for each. */
const Event = z.object({
  Action: z.string(),
  Actor: z.object({ ID: z.string() }),
  timeNano: z.number(),
});
/** A daemon under load tells of an end some time after the command that it took along. */
const NEWS_MS = 5_000;
/** The daemon tells of a signal that it sent about when it tells of the end. */
const SETTLE_MS = 300;
const ASK_AGAIN_MS = 50;

/** By the daemon's clock, ms since 1970; 0: never. */
interface Told {
  killedAt: number;
  endedAt: number;
}

/**
 * Follows what the daemon does to the containers of one data directory. What stops, kills or removes a container through
 * Docker, and Docker's own tools, is told as `kill`; a container that ends without it ended by what ran in it. A daemon that
 * died takes the way to it along: then nobody knows.
 */
export class DaemonActs {
  readonly #docker: Docker;
  readonly #instance: string;
  readonly #closing = new AbortController();
  readonly #told = new Map<string, Told>();
  #opening: Promise<void> | null = null;
  /** Counts the times that it was followed anew: what was in between is not known. */
  #life = 0;
  #isOpen = false;

  constructor(docker: Docker, instance: string) {
    this.#docker = docker;
    this.#instance = instance;
  }

  /** From now on, if it can be. */
  async follow(): Promise<void> {
    this.#opening ??= this.#open().catch(() => {
      // Whoever needs an answer then has none.
      this.#opening = null;
    });
    await this.#opening;
  }

  close(): void {
    this.#closing.abort();
  }

  /** What has happened to a container from now on is kept until it is forgotten. */
  watch(id: string): ContainerActs {
    const told = { killedAt: 0, endedAt: 0 };
    this.#told.set(id, told);
    const life = this.#isOpen ? this.#life : null;
    const isFollowed = () => this.#isOpen && this.#life === life;
    return {
      endedByItself: (startedAt) => endedByItself(told, Date.parse(startedAt), isFollowed),
      forget: () => this.#told.delete(id),
    };
  }

  async #open(): Promise<void> {
    const stream = await this.#docker.getEvents({
      filters: {
        type: ["container"],
        event: ["kill", "die"],
        label: [`${LABEL.instance}=${this.#instance}`],
      },
      abortSignal: this.#closing.signal,
    });
    this.#life++;
    this.#isOpen = true;
    const over = () => {
      this.#isOpen = false;
      this.#opening = null;
    };
    stream.once("error", over).once("end", over).once("close", over);
    // A line has one container's labels: no program in one chooses what stands there.
    createInterface({ input: stream })
      .on("line", (line) => this.#hear(line))
      .on("error", over);
  }

  #hear(line: string): void {
    const event = readEvent(line);
    const told = event && this.#told.get(event.Actor.ID);
    if (!event || !told) return;
    const at = event.timeNano / 1e6;
    if (event.Action === "kill") told.killedAt = at;
    else told.endedAt = at;
  }
}

/** Null for the half of a line at which a connection broke. */
function readEvent(line: string): z.infer<typeof Event> | null {
  try {
    return Event.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

export interface ContainerActs {
  /** Whether a container that runs no more and was started then ended by what ran in it; false also where nobody knows. */
  endedByItself(startedAt: string): Promise<boolean>;
  forget(): void;
}

async function endedByItself(
  told: Readonly<Told>,
  startedAt: number,
  isFollowed: () => boolean,
): Promise<boolean> {
  const giveUpAt = Date.now() + NEWS_MS;
  while (told.endedAt < startedAt) {
    if (!isFollowed() || Date.now() > giveUpAt) return false;
    await sleep(ASK_AGAIN_MS);
  }
  await sleep(SETTLE_MS);
  return isFollowed() && told.killedAt < startedAt;
}
