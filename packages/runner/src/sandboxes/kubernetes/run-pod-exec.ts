import { Writable } from "node:stream";
import { AnnouncedOutput } from "#sandboxes/announced-output.ts";
import { BoundedOutput } from "#sandboxes/bounded-output.ts";
import { endOf } from "#sandboxes/exec-ending.ts";
import type { KubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";
import { startPodProcess } from "#sandboxes/kubernetes/pod-process.ts";
import { BUSYBOX, MAIN } from "#sandboxes/kubernetes/pod-spec.ts";
import { quote } from "#sandboxes/kubernetes/shell-script.ts";
import type { ExecCommand, ExecResult } from "#sandboxes/sandbox.ts";

/** Runs a command in the task's container. `kill` ends a process group. Throws what the connection did, raw. */
export async function runPodExec(
  settings: KubeSettings,
  pod: string,
  command: ExecCommand,
  kill: (group: number) => Promise<void>,
): Promise<ExecResult> {
  const began = performance.now();
  command.signal.throwIfAborted();
  const output = new AnnouncedOutput(new BoundedOutput(command.maxOutputBytes, command.onOutput));
  const stdout = new Writable({
    write: (chunk: Buffer, _, done) => {
      output.push(chunk);
      done();
    },
  });
  const running = await startPodProcess(
    settings,
    { pod, container: MAIN, busybox: BUSYBOX, script: scriptOf(command) },
    { stdout },
  );
  let failure: unknown = null;
  const closed = running.ended.then(
    (code) => code,
    (error: unknown) => {
      failure = error;
      return null;
    },
  );
  const end = await endOf(
    closed.then(() => undefined),
    command,
  );
  if (end !== "closed" && output.group !== null) await kill(output.group);
  if (end === "closed" && failure !== null) throw failure;
  if (end === "closed" && output.group === null)
    throw new Error(`no shell started: ${output.text()}`);
  const exitCode = end === "closed" ? await closed : null;
  running.release();
  command.signal.throwIfAborted();
  return { exitCode, output: output.text(), durationMs: performance.now() - began };
}

/**
 * Says the process group that a kill has to name, then becomes the command: an exec leads a session of its own. The
 * program is looked for here, because busybox would take its own of that name.
 */
export function scriptOf({ argv, user, env = {} }: Pick<ExecCommand, "argv" | "user" | "env">) {
  return ["echo $$", "exec < /dev/null 2>&1", ...becomeCommand({ argv, user, env })].join("\n");
}

/** Lines of a shell that becomes the command. */
export function becomeCommand({
  argv,
  user,
  env,
}: Required<Pick<ExecCommand, "argv" | "user" | "env">>): string[] {
  const [program = "", ...rest] = argv;
  const assigned = Object.entries(env).map(([name, value]) => quote(`${name}=${value}`));
  const words = [...assigned, '"$program"', ...rest.map(quote)].join(" ");
  const lines = [
    `program=${quote(program)}`,
    `case $program in */*) ;; *)
  IFS=:
  for folder in $PATH; do
    [ -f "$folder/$program" ] && [ -x "$folder/$program" ] && program=$folder/$program && break
  done
  unset IFS ;;
esac`,
    'case $program in */*) ;; *) echo "$program: not found"; exit 127 ;; esac',
  ];
  if (user === null || String(user) === "0" || user === "root")
    return [...lines, `exec ${BUSYBOX} env ${words}`];
  const who = quote(String(user));
  return [
    ...lines,
    `home=$(${BUSYBOX} awk -F: -v who=${who} '$1 == who || $3 == who {print $6; exit}' /etc/passwd)`,
    `exec ${BUSYBOX} start-stop-daemon -S -n liverl-nobody -c ${who} -a ${BUSYBOX} -- env "HOME=$home" ${words}`,
  ];
}
