import { PassThrough, type Readable, Writable } from "node:stream";
import { trimEnd } from "@liverl/contract/trim-end";
import type { KubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";
import { startPodProcess } from "#sandboxes/kubernetes/pod-process.ts";
import { anchorOf, BUSYBOX, KEEPER, KEEPER_ANCHOR } from "#sandboxes/kubernetes/pod-spec.ts";
import { sendArchive, sizeOf } from "#sandboxes/kubernetes/send-archive.ts";
import { quote } from "#sandboxes/kubernetes/shell-script.ts";
import type { KnownProcess } from "#sandboxes/kubernetes/stream-pod-exec.ts";
import { TrialError } from "#trials/trial-error.ts";

const OWN_BUSYBOX = "/bin/busybox";
/** Says that the sandbox's first process does what it should not. */
const TAMPERED = 97;
const GONE = 98;
const MAX_TEXT = 64 * 1024;

/**
 * The container beside the sandbox's: it sees that one's processes and files, and runs its own programs on them. The
 * sandbox's processes can end it, which loses the sandbox, but neither trace it nor change what it says.
 */
export class Keeper {
  readonly #settings: KubeSettings;
  readonly #pod: string;
  /** Process ids of the first processes, here and in the sandbox. */
  #anchors: { own: number; main: number } | null = null;
  #isSealed = false;
  /** How often the kernel has ended a process for memory, when the agent's were ended. */
  #oomKills = 0;

  constructor(settings: KubeSettings, pod: string) {
    this.#settings = settings;
    this.#pod = pod;
  }

  /** Before any program of the task has run. */
  async findAnchors(spec: { lifeS: number }): Promise<void> {
    const main = anchorOf(spec).join(" ");
    const own = KEEPER_ANCHOR.join(" ");
    const text = await this.#say(`for folder in /proc/[0-9]*; do
  words=$(${OWN_BUSYBOX} tr '\\0' ' ' < $folder/cmdline 2> /dev/null)
  case "$words" in
    ${quote(`${main} `)}|${quote(main)}) echo main \${folder#/proc/} ;;
    ${quote(`${own} `)}|${quote(own)}) echo own \${folder#/proc/} ;;
  esac
done`);
    const found = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
    const anchors = { own: found("own"), main: found("main") };
    if (!anchors.own || !anchors.main)
      throw new TrialError("SandboxError", `The sandbox's processes can not be seen: ${text}`);
    this.#anchors = anchors;
  }

  async has(path: string): Promise<boolean> {
    const there = await this.#say(
      `${this.#inside()} sh -c 'test -e "$1" || test -L "$1"' sh ${quote(path)} && echo yes || echo no`,
    );
    return there.trim() === "yes";
  }

  /** Unpacks at the root what `archive` gives, which is asked for twice and has to be the same each time. */
  async unpack(archive: () => Readable): Promise<void> {
    const output = new BoundedText();
    const bytes = await sizeOf(archive());
    const running = await this.#start(
      `set -o pipefail; umask 0; { ${OWN_BUSYBOX} head -c ${bytes} | ${this.#inside()} tar -x -p -f - -C /; } 2>&1`,
      output,
    );
    try {
      this.#check(await sendArchive(archive(), running), output.text);
    } finally {
      running.release();
    }
  }

  /** A tar whose first part is the path's last, for as long as `read` reads it. */
  async pack<T>(path: string, read: (archive: Readable) => Promise<T>): Promise<T> {
    const bare = trimEnd(path, "/");
    const at = bare.lastIndexOf("/");
    const folder = path.slice(0, at) || "/";
    const name = bare.slice(at + 1) || ".";
    const archive = new PassThrough();
    const running = await this.#start(
      `exec ${this.#inside()} tar -c -f - -C ${quote(folder)} -- ${quote(name)} 2> /dev/null`,
      archive,
    );
    try {
      // What is no file ends tar with a failure, though it has packed all others.
      running.ended.then(
        () => archive.end(),
        (error: Error) => archive.destroy(error),
      );
      return await read(archive);
    } finally {
      archive.destroy();
      running.release();
    }
  }

  /** False also where nobody is left to tell. */
  async isMainAlive(): Promise<boolean> {
    try {
      const text = await this.#say(
        `${OWN_BUSYBOX} grep '^State:' /proc/${this.#known().main}/status`,
      );
      return !/^State:\s+[ZX]/.test(text);
    } catch {
      return false;
    }
  }

  /** Whether a process of the sandbox goes on, and not another that has its number. */
  async isRunning({ pid, startedAt }: KnownProcess): Promise<boolean> {
    // What stands before the last bracket is the program's own to choose.
    const text = await this.#say(`${OWN_BUSYBOX} cat /proc/${pid}/stat 2> /dev/null; true`);
    const [state = "Z", ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return !"ZX".includes(state) && fields[18] === startedAt;
  }

  async killGroup(group: number): Promise<void> {
    await this.#say(`kill -9 -${group} 2> /dev/null; true`);
  }

  /** Stops all at once, so that none can fork or hide, then ends one by one; the first process stays, stopped for good. */
  async endAll(): Promise<{ ranOutOfMemory: boolean }> {
    const { own, main } = this.#known();
    const text =
      await this.#say(`state() { S=; while read -r key value rest; do case $key in State:) S=$value; return;; esac; done < /proc/$1/status; }
for round in $(${OWN_BUSYBOX} seq 200); do
  left=
  kill -STOP -1
  for folder in /proc/[0-9]*; do
    pid=\${folder#/proc/}
    case $pid in 1|${own}|${main}|$$) continue ;; esac
    state $pid 2> /dev/null || continue
    case $S in Z|X|'') continue ;; esac
    kill -9 $pid 2> /dev/null && left=$pid
  done
  [ -z "$left" ] && break
  ${OWN_BUSYBOX} sleep 0.02
done
[ -z "$left" ] || { echo "process $left does not end"; exit 1; }
kill -STOP ${main}
${this.#countOomKills()}`);
    this.#isSealed = true;
    await this.#say("true");
    this.#oomKills = oomKillsOf(text);
    return { ranOutOfMemory: this.#oomKills > 0 };
  }

  /** Since the agent's processes were ended. */
  async hasRunOutOfMemory(): Promise<boolean> {
    return oomKillsOf(await this.#say(this.#countOomKills())) > this.#oomKills;
  }

  #countOomKills(): string {
    return `${this.#inside()} cat /sys/fs/cgroup/memory/memory.oom_control /sys/fs/cgroup/memory.events 2> /dev/null; true`;
  }

  #inside(): string {
    return `${OWN_BUSYBOX} chroot /proc/${this.#known().main}/root ${BUSYBOX}`;
  }

  #known() {
    if (this.#anchors) return this.#anchors;
    throw new TrialError("SandboxError", "The sandbox is not ready.");
  }

  async #say(script: string): Promise<string> {
    const output = new BoundedText();
    const running = await this.#start(script, output);
    try {
      this.#check(await running.ended, output.text);
      return output.text;
    } finally {
      running.release();
    }
  }

  async #start(script: string, stdout: Writable) {
    return await startPodProcess(
      this.#settings,
      {
        pod: this.#pod,
        container: KEEPER,
        busybox: OWN_BUSYBOX,
        script: `${this.#seal()}${script}`,
      },
      { stdout },
    );
  }

  /** A first process that the agent took over could go on for it: it has one thread and stays stopped. */
  #seal(): string {
    if (!this.#isSealed) return "";
    const main = `/proc/${this.#known().main}`;
    return `[ -d ${main} ] || exit ${GONE}\n${OWN_BUSYBOX} grep -q '^State:[[:space:]]*T' ${main}/status && ${OWN_BUSYBOX} grep -q '^Threads:[[:space:]]*1$' ${main}/status || exit ${TAMPERED}\n`;
  }

  #check(code: number, text: string): void {
    if (code === 0) return;
    if (code === TAMPERED)
      throw new TrialError(
        "VerifierTamperedError",
        "The sandbox's first process goes on after the agent's end: the agent has taken it over.",
      );
    if (code === GONE)
      throw new TrialError("SandboxEndedError", "The sandbox's first process is gone.");
    throw new Error(`the keeper ended with ${code}: ${text.trim()}`);
  }
}

const oomKillsOf = (text: string) => Number(/^oom_kill (\d+)/m.exec(text)?.[1] ?? 0);

/** The beginning of what is written. */
class BoundedText extends Writable {
  text = "";

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    if (this.text.length < MAX_TEXT) this.text += chunk.toString("utf8");
    done();
  }
}
