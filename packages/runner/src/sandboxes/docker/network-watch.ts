import type Docker from "dockerode";
import type { Container } from "dockerode";
import { z } from "zod";
import { type NetworkUse, readNeighbours, readPeers } from "#integrity/judge-network.ts";
import { removeContainer } from "#sandboxes/docker/remove-container.ts";
import { runExec } from "#sandboxes/docker/run-exec.ts";

/**
 * Prints remote ends that it has not seen, by the shell's own words. Linux keeps a connection that its side ended for a
 * minute, so only one that the other side ended, between two looks, goes unseen.
 */
const SCRIPT = `seen=' '
while :; do
  for protocol in tcp tcp6 udp udp6; do
    [ -r /proc/net/$protocol ] || continue
    while read -r _ _ remote _; do
      case $seen in *" $protocol$remote "*) ;; *) seen="$seen$protocol$remote "; printf '%s\\t%s\\n' "$protocol" "$remote" ;; esac
    done < /proc/net/$protocol
  done
  sleep 0.2
done`;
const MEMORY_BYTES = 32 * 1024 * 1024;
const MAX_PROCESSES = 8;
const CPU = 0.1e9;
const MOST_LINES = 5_000;
const MOST_BYTES = 64 * 1024;
const READ_MS = 30_000;
const LOOPBACK = "lo";

const Stats = z.looseObject({
  networks: z
    .record(z.string(), z.looseObject({ rx_bytes: z.number(), tx_bytes: z.number() }))
    .optional(),
});

interface WatchGiven {
  name: string;
  image: string;
  watched: Container;
  labels: Record<string, string>;
}

/** Sees what a sandbox is connected to from beside it: it shares the network, and no process, file or user of the sandbox can reach it. */
export class NetworkWatch {
  readonly #docker: Docker;
  readonly #given: WatchGiven;
  #watcher: Promise<Container>;

  constructor(docker: Docker, given: WatchGiven) {
    this.#docker = docker;
    this.#given = given;
    this.#watcher = this.#start();
  }

  /** Waits until it looks. */
  async ready(): Promise<void> {
    await this.#watcher;
  }

  /** Looks anew: a sandbox whose processes were ended has another network than the one that was looked at. */
  async restart(): Promise<void> {
    await this.end();
    this.#watcher = this.#start();
    await this.#watcher;
  }

  #start(): Promise<Container> {
    const starting = start(this.#docker, this.#given);
    // Whoever waits for it is told.
    starting.catch(() => undefined);
    return starting;
  }

  /** What it saw until now. To be asked while the sandbox runs: its network ends with it. */
  async read(signal: AbortSignal): Promise<NetworkUse> {
    const watcher = await this.#watcher;
    const [lines, neighbours, stats] = await Promise.all([
      watcher.logs({ stdout: true, stderr: false, follow: false, tail: MOST_LINES }),
      runExec(
        watcher,
        {
          argv: ["sh", "-c", 'while read -r line; do echo "$line"; done < /proc/net/arp'],
          user: null,
          timeoutMs: READ_MS,
          maxOutputBytes: MOST_BYTES,
          signal,
        },
        // Whoever reads it has set a time for the whole.
        (work) => work(),
      ),
      this.#given.watched.stats({ stream: false, "one-shot": true }),
    ]);
    const networks = Object.entries(Stats.parse(stats).networks ?? {}).filter(
      ([name]) => name !== LOOPBACK,
    );
    const sum = (key: "rx_bytes" | "tx_bytes") =>
      networks.reduce((total, [, one]) => total + one[key], 0);
    return {
      peers: readPeers(lines.toString("utf8")),
      neighbours: readNeighbours(neighbours.output),
      bytes: networks.length === 0 ? null : { received: sum("rx_bytes"), sent: sum("tx_bytes") },
    };
  }

  async end(): Promise<void> {
    const watcher = await this.#watcher.catch(() => null);
    if (watcher) await removeContainer(watcher);
  }
}

async function start(
  docker: Docker,
  { name, image, watched, labels }: WatchGiven,
): Promise<Container> {
  const watcher = await docker.createContainer({
    name,
    Image: image,
    Entrypoint: ["sh", "-c"],
    Cmd: [SCRIPT],
    // No stream apart for each: lines come as they are.
    Tty: true,
    User: "0",
    WorkingDir: "/",
    Labels: labels,
    HostConfig: {
      NetworkMode: `container:${watched.id}`,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      ReadonlyRootfs: true,
      Memory: MEMORY_BYTES,
      MemorySwap: MEMORY_BYTES,
      NanoCpus: CPU,
      PidsLimit: MAX_PROCESSES,
      LogConfig: { Type: "json-file", Config: { "max-size": "1m" } },
    },
  });
  try {
    await watcher.start();
    return watcher;
  } catch (error) {
    // The sandbox was restarted or has gone meanwhile. What the first fault was counts.
    await removeContainer(watcher).catch(() => undefined);
    throw error;
  }
}
