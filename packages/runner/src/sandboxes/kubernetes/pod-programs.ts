import { Writable } from "node:stream";
import type { V1Pod } from "@kubernetes/client-node";
import { BoundedOutput } from "#sandboxes/bounded-output.ts";
import type { KubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";
import type { PodFeed } from "#sandboxes/kubernetes/pod-feed.ts";
import { startPodProcess } from "#sandboxes/kubernetes/pod-process.ts";
import { PROGRAMS, PROGRAMS_AT, PROGRAMS_COMPLETE } from "#sandboxes/kubernetes/pod-spec.ts";
import { endFault, startFault } from "#sandboxes/kubernetes/pod-state.ts";
import { sendArchive, sizeOf } from "#sandboxes/kubernetes/send-archive.ts";
import { quote } from "#sandboxes/kubernetes/shell-script.ts";
import { packFolder } from "#sandboxes/pack-folder.ts";
import type { BakedPrograms } from "#sandboxes/sandbox.ts";
import { withinTime } from "#sandboxes/within-time.ts";
import { TrialError } from "#trials/trial-error.ts";

const BUSYBOX = "/bin/busybox";
const BRING_MS = 600_000;
/** A container that finds the programs on its node ends by itself; the kubelet tells of it some time after. */
const FINDS_MS = 2_000;
/** The same, of programs that have just come. */
const SEES_MS = 20_000;
const ASK_AGAIN_MS = 500;
const MAX_TEXT = 4_000;
/** Whoever made what is older has died. */
const LEFT_MINUTES = 60;

/** Whether the pod's first container waits, or has waited, for programs. */
export const cameToPrograms = (pod: V1Pod) => {
  const state = stateOf(pod);
  return Boolean(state?.running ?? state?.terminated);
};
const hasPrograms = (pod: V1Pod) => stateOf(pod)?.terminated?.exitCode === 0;
const stateOf = ({ status }: V1Pod) =>
  status?.initContainerStatuses?.find(({ name }) => name === PROGRAMS)?.state;

/**
 * Programs on the nodes of a cluster: the first pod of a node that needs some is given them through the API server, the
 * others find them there. Where pods share nothing, each is given its own.
 */
export class PodPrograms {
  readonly #settings: KubeSettings;
  readonly #feed: PodFeed;
  /** By place and content. */
  readonly #coming = new Map<string, Promise<void>>();

  constructor(settings: KubeSettings, feed: PodFeed) {
    this.#settings = settings;
    this.#feed = feed;
  }

  /** Resolves when the pod, which has come to its programs, has them. Throws `TrialError`, or the signal's reason. */
  async bring(pod: V1Pod, programs: BakedPrograms, signal: AbortSignal): Promise<void> {
    const name = pod.metadata?.name ?? "";
    const node = pod.spec?.nodeName ?? "";
    const key = `${this.#settings.programsPath === null ? name : node} ${programs.digest}`;
    const giveUpAt = Date.now() + BRING_MS;
    for (let waitMs = FINDS_MS; !(await this.#finds(name, waitMs, signal)); waitMs = SEES_MS) {
      if (Date.now() > giveUpAt) throw late(node);
      const other = this.#coming.get(key);
      if (other !== undefined) {
        // Its failure may be its own pod's end.
        await withinTime({ timeoutMs: BRING_MS, signal, late: () => late(node) }, () =>
          other.catch(() => undefined),
        );
        continue;
      }
      const filling = this.#fill(name, node, programs, signal).finally(() =>
        this.#coming.delete(key),
      );
      this.#coming.set(key, filling);
      await filling.catch(async (error: unknown) => {
        // The container ends as soon as it has them, perhaps before its exec has told.
        if (!(await this.#finds(name, SEES_MS, signal))) throw error;
      });
    }
  }

  async #finds(name: string, waitMs: number, signal: AbortSignal): Promise<boolean> {
    const giveUpAt = Date.now() + waitMs;
    for (;;) {
      const pod = this.#feed.get(name);
      if (!pod && this.#feed.fault === null) throw endFault(null);
      const fault = pod && startFault(pod, 0);
      if (fault) throw fault;
      if (pod && hasPrograms(pod)) return true;
      if (Date.now() >= giveUpAt) return false;
      await this.#feed.news(name, ASK_AGAIN_MS, signal);
    }
  }

  async #fill(
    pod: string,
    node: string,
    { digest, folder }: BakedPrograms,
    signal: AbortSignal,
  ): Promise<void> {
    const output = new TellingOutput();
    const script = fillScriptOf({ pod, digest, bytes: await sizeOf(packFolder(folder, "")) });
    const code = await withinTime(
      { timeoutMs: BRING_MS, signal, late: () => late(node) },
      async () => {
        const running = await startPodProcess(
          this.#settings,
          { pod, container: PROGRAMS, busybox: BUSYBOX, script },
          { stdout: output },
        );
        const release = () => running.release();
        signal.addEventListener("abort", release, { once: true });
        try {
          return await sendArchive(packFolder(folder, ""), running);
        } finally {
          signal.removeEventListener("abort", release);
          release();
        }
      },
    );
    if (code !== 0)
      throw new TrialError(
        "SandboxError",
        `The agent can not be copied to the node ${node} (exit code ${code}): ${output.text().trim()}`,
      );
  }
}

/** What is at the digest's own name is whole. */
export function fillScriptOf(at: { pod: string; digest: string; bytes: number }): string {
  const whole = quote(`${PROGRAMS_AT}/${at.digest}`);
  const making = quote(`${PROGRAMS_AT}/.making-${at.pod}`);
  // The shell keeps its own stderr: containerd ends the stdin of a process that has closed an output.
  return `set -o pipefail; umask 022; {
[ -e ${whole}/${PROGRAMS_COMPLETE} ] && exit 0
${BUSYBOX} find ${PROGRAMS_AT} -maxdepth 1 -name '.making-*' -mmin +${LEFT_MINUTES} -exec ${BUSYBOX} rm -rf {} +
${BUSYBOX} rm -rf ${making} && ${BUSYBOX} mkdir ${making} || exit
if ${BUSYBOX} head -c ${at.bytes} | ${BUSYBOX} tar -x -p -f - -C ${making} && : > ${making}/${PROGRAMS_COMPLETE}
then ${BUSYBOX} mv -T ${making} ${whole} && exit 0
fi
${BUSYBOX} rm -rf ${making}
[ -e ${whole}/${PROGRAMS_COMPLETE} ]
} 2>&1`;
}

const late = (node: string) =>
  new TrialError(
    "EnvironmentStartTimeoutError",
    `The agent was not copied to the node ${node} in ${BRING_MS / 60_000} minutes.`,
  );

class TellingOutput extends Writable {
  readonly #output = new BoundedOutput(MAX_TEXT);

  text(): string {
    return this.#output.text();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#output.push(chunk);
    done();
  }
}
