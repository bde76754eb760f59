import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EnvironmentReading } from "@liverl/contract/launch";

/** A program that a script started when bash ran it. */
export interface PlayedCommand {
  argv: string[];
  env: Record<string, string>;
}

export interface Played {
  commands: PlayedCommand[];
  code: number | null;
  stderr: string;
}

/** Programs that only compute text: these are the machine's own. */
const REAL =
  "basename dirname date seq cat tr cut expr wc env bash sh head tail sed awk grep bc rev xargs paste uname sort printenv nohup timeout nice stdbuf setsid true false".split(
    " ",
  );
/** Programs that stand in for those which would do something: they write down what they were given. */
const STUBS =
  "python python3 uv ray torchrun accelerate deepspeed srun sbatch ssh docker sudo conda pip pip3 wget curl git hf huggingface-cli apt-get apt npu-smi nvidia-smi numactl mkdir tee rm mv cp touch chmod sleep trl".split(
    " ",
  );
/** Starters of other programs pass on what they start, so that the script goes its way. */
const STUB = `#!/bin/bash
name=\${0##*/}
case "$name" in
  nvidia-smi|npu-smi|mkdir|rm|mv|cp|touch|chmod|sleep|pip|pip3|wget|curl|git|hf|huggingface-cli|apt|apt-get) exit 0 ;;
  tee) exec cat ;;
  python*) if [[ $1 == -c || $1 == - ]]; then [[ "$*" == *torch_npu* ]] && exit 1; exit 0; fi ;;
esac
{ printf 'argv\\0'; printf '%s\\0' "$name" "$@"; printf 'env\\0'; env -0; printf '\\1end\\0'; } >> "$PLAYED_OUT"
exit 0
`;

export const PLAYED_HOME = "/home/u";

/** Runs a script in bash with stand-ins for every program that does more than compute text. */
export class Stage {
  private readonly folder = mkdtempSync(join(tmpdir(), "liverl-stage-"));

  constructor() {
    const programs = join(this.folder, "bin");
    mkdirSync(programs);
    mkdirSync(join(this.folder, "work"));
    const stub = join(this.folder, "stub");
    writeFileSync(stub, STUB);
    chmodSync(stub, 0o755);
    for (const name of STUBS) symlinkSync(stub, join(programs, name));
    for (const name of REAL) {
      const found = ["/usr/bin", "/bin"]
        .map((at) => join(at, name))
        .find((path) => existsSync(path));
      if (found) symlinkSync(found, join(programs, name));
    }
  }

  play(script: string): Played {
    const path = join(this.folder, "script.sh");
    const out = join(this.folder, "played");
    writeFileSync(path, script);
    rmSync(out, { force: true });
    const { status, stderr } = spawnSync("/bin/bash", [path], {
      cwd: join(this.folder, "work"),
      env: {
        ...{ HOME: PLAYED_HOME, USER: "u", PATH: join(this.folder, "bin"), PLAYED_OUT: out },
      },
      encoding: "utf8",
      input: "",
      timeout: 20_000,
    });
    const text = existsSync(out) ? readFileSync(out, "utf8") : "";
    return {
      commands: text
        .split("\u0001end\0")
        .filter((each) => each !== "")
        .map(readCommand),
      code: status,
      stderr,
    };
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function readCommand(text: string): PlayedCommand {
  const [argv = "", env = ""] = text.slice("argv\0".length).split("\0env\0");
  const variables = env.split("\0").filter((each) => each.includes("="));
  return {
    argv: argv.split("\0"),
    env: Object.fromEntries(
      variables.map((each) => [
        each.slice(0, each.indexOf("=")),
        each.slice(each.indexOf("=") + 1),
      ]),
    ),
  };
}

/**
 * How a reading of a script differs from a reading of the command line that bash made of it: values that are lost, wrong or
 * made up, and that no note names.
 */
export function compareReadings(
  script: EnvironmentReading,
  expanded: string | null,
  read: (given: { text: string }) => EnvironmentReading,
): string[] {
  const told = new Set(script.notes.map(({ name }) => name));
  const isTold = (name: string) => told.has(name.replace(/^[+~]{1,2}/, ""));
  const wanted = expanded === null ? [] : read({ text: expanded }).values;
  const found = new Map(script.values.map((value) => [value.path, value]));
  const faults: string[] = [];
  for (const { path, value, name } of wanted) {
    const own = found.get(path);
    if (JSON.stringify(own?.value) === JSON.stringify(value) || isTold(name)) continue;
    faults.push(
      `${own ? "WRONG" : "LOST"} ${path}: ${JSON.stringify(own?.value)}, bash has ${JSON.stringify(value)}`,
    );
  }
  const expected = new Set(wanted.map(({ path }) => path));
  for (const { path, value, name } of script.values)
    if (!expected.has(path) && !path.startsWith("env.") && !isTold(name))
      faults.push(`EXTRA ${path}: ${JSON.stringify(value)}`);
  return faults;
}
