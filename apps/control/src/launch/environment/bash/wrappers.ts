import { parse as parseYaml } from "yaml";
import {
  EMPTY,
  type Piece,
  plain,
  show,
  type Text,
  textOf,
} from "#launch/environment/bash/text.ts";

/** A command with the programs that only start another one taken off: `uv run`, `srun`, `ray job submit`. */
export interface Started {
  /** The program itself with its arguments. */
  argv: readonly Text[];
  /** What starts it, outermost first. */
  via: readonly string[];
  /** Variables that the starters set. */
  env: ReadonlyMap<string, Text>;
  /** Variables that a starter passes on by name, as `docker run -e NAME`. */
  passed: readonly string[];
  removed: readonly string[];
  /** It gets the variables that the script exports. */
  keepsEnvironment: boolean;
  notes: readonly { name: string; message: string }[];
  /** A shell's script: of `bash -c`, or of its input. */
  code: Text | null;
  /** A shell's script in a file. */
  file: string | null;
  /** Arguments of that script, `$0` first. */
  args: readonly Text[];
}

interface Work {
  argv: readonly Text[];
  words: readonly string[];
  name: string;
  input: Text | null;
  via: string[];
  env: Map<string, Text>;
  passed: string[];
  removed: string[];
  keepsEnvironment: boolean;
  notes: { name: string; message: string }[];
  code: Text | null;
  file: string | null;
  args: readonly Text[];
}

/** Takes one starter off: whether there was one. */
type Wrapper = (work: Work) => boolean;

const MAX_WRAPPERS = 12;
const PYTHON = /^python(?:\d(?:\.\d+)?)?$/;
/** Words at which the command of a container or a scheduler begins. */
const BEGINS =
  /^(?:python(?:\d(?:\.\d+)?)?|bash|sh|zsh|env|uv|torchrun|accelerate|deepspeed|ray|nohup|timeout|numactl|conda|poetry|nsys|stdbuf|srun|apptainer|singularity|docker|trl)$/;

const nameOf = (word: string): string => word.slice(word.lastIndexOf("/") + 1);

/** Index of the first word that is no option; `valued` options take the next word. */
function afterOptions(words: readonly string[], from: number, valued: ReadonlySet<string>): number {
  let at = from;
  for (; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") return at + 1;
    if (!word.startsWith("-") || word === "-") break;
    if (valued.has(word)) at += 1;
  }
  return at;
}

function cutTo(work: Work, index: number, via: string): boolean {
  if (index >= work.argv.length) return false;
  work.argv = work.argv.slice(index);
  work.via.push(via);
  return true;
}

const plainWrapper =
  (valued: string, positionals = 0): Wrapper =>
  (work) =>
    cutTo(work, afterOptions(work.words, 1, new Set(valued.split(" "))) + positionals, work.name);

/** Options whose values are not known here: the command begins at the first word that names a program. */
const untilProgram: Wrapper = (work) => {
  const dashes = work.words.indexOf("--");
  const from = dashes === -1 ? 1 : dashes + 1;
  if (dashes !== -1 && dashes + 1 < work.words.length) return cutTo(work, from, work.name);
  const index = work.words.findIndex((word, i) => i >= from && BEGINS.test(nameOf(word)));
  return index !== -1 && cutTo(work, index, work.name);
};

const RUNNERS = new Map<string, Wrapper>([
  ...["nohup", "setsid", "unbuffer", "catchsegv", "doas", "winpty"].map(
    (name): [string, Wrapper] => [name, plainWrapper("")],
  ),
  ["sudo", plainWrapper("-u -g -h -p -C -D")],
  ["nice", plainWrapper("-n")],
  ["ionice", plainWrapper("-c -n -p")],
  ["stdbuf", plainWrapper("-i -o -e")],
  ["time", plainWrapper("-f -o")],
  ["timeout", plainWrapper("-s -k --signal --kill-after", 1)],
  ["taskset", plainWrapper("", 1)],
  ["chrt", plainWrapper("", 1)],
  ["flock", plainWrapper("-w -E", 1)],
  ["numactl", plainWrapper("-N -m -C -i -p -l --cpunodebind --membind --physcpubind --interleave")],
  ...["nsys", "ncu", "py-spy", "memray", "viztracer", "strace", "gdb", "script", "screen"].map(
    (name): [string, Wrapper] => [name, untilProgram],
  ),
  ...["mpirun", "mpiexec", "orterun", "prun", "singularity", "apptainer", "enroot", "kubectl"].map(
    (name): [string, Wrapper] => [name, untilProgram],
  ),
  ["srun", runSrun],
  ...["docker", "podman", "nerdctl"].map((name): [string, Wrapper] => [name, runContainer]),
  ["env", runEnv],
  ...["bash", "sh", "zsh", "dash", "ksh"].map((name): [string, Wrapper] => [name, runShell]),
  ["sbatch", runSbatch],
  ["ssh", runRemote],
  ["tmux", runTmux],
  ["su", runSu],
  [
    "uv",
    runTool(
      "run",
      "--extra --group --with --python -p --env-file --project --directory --package --index-url --with-requirements --with-editable --only-group --no-group --isolated-x",
    ),
  ],
  ...["conda", "mamba", "micromamba"].map((name): [string, Wrapper] => [
    name,
    runTool("run", "-n --name -p --prefix --cwd"),
  ]),
  ...["poetry", "pipenv", "pdm", "rye", "hatch", "pixi", "rtx", "mise"].map(
    (name): [string, Wrapper] => [name, runTool("run", "-e --environment --manifest-path")],
  ),
  ["ray", runRay],
  ["torchrun", (work) => runLauncher(work, 1)],
  ["accelerate", (work) => work.words[1] === "launch" && runLauncher(work, 2)],
  ["deepspeed", (work) => runLauncher(work, 1)],
]);

/** What a command line starts in the end. Pure. */
export function unwrapCommand(argv: readonly Text[], input: Text | null): Started {
  const work: Work = {
    ...{ argv, input, words: [], name: "", via: [], env: new Map(), passed: [], removed: [] },
    ...{ keepsEnvironment: true, notes: [], code: null, file: null, args: [] },
  };
  for (let i = 0; i < MAX_WRAPPERS; i++) {
    work.words = work.argv.map((text) => plain(text) ?? show(text));
    work.name = nameOf(work.words[0] ?? "");
    if (PYTHON.test(work.name) && runDistributed(work)) continue;
    if (!RUNNERS.get(work.name)?.(work)) break;
    if (work.code !== null || work.file !== null) break;
  }
  return work;
}

function runTool(verb: string, valued: string): Wrapper {
  const options = new Set(valued.split(" "));
  return (work) => {
    const at = afterOptions(work.words, 1, options);
    if (work.words[at] !== verb) return false;
    return cutTo(work, afterOptions(work.words, at + 1, options), `${work.name} ${verb}`);
  };
}

function runEnv(work: Work): boolean {
  let at = 1;
  for (; at < work.words.length; at++) {
    const word = work.words[at] ?? "";
    if (word === "-i" || word === "--ignore-environment" || word === "-")
      work.keepsEnvironment = false;
    else if (word === "-u" || word === "-C") {
      at += 1;
      if (word === "-u") work.removed.push(work.words[at] ?? "");
    } else if (word === "-S") {
      work.code = work.argv[at + 1] ?? EMPTY;
      return true;
    } else if (/^[A-Za-z_]\w*=/.test(word)) setEnv(work, work.argv[at] ?? EMPTY);
    else if (!word.startsWith("-")) break;
  }
  return cutTo(work, at, "env");
}

function setEnv(work: Work, text: Text): void {
  const [first, ...rest] = text;
  if (!first || "unknown" in first) return;
  const cut = first.text.indexOf("=");
  if (cut === -1) return;
  const value = [...textOf(first.text.slice(cut + 1), first.at + cut + 1), ...rest];
  work.env.set(first.text.slice(0, cut), value);
}

function runSrun(work: Work): boolean {
  for (const [i, word] of work.words.entries()) {
    const list = word.startsWith("--export=")
      ? word.slice(9)
      : word === "--export"
        ? work.words[i + 1]
        : undefined;
    if (list === undefined) continue;
    const names = list.split(",");
    if (!names.includes("ALL")) work.keepsEnvironment = false;
    for (const name of names) {
      if (name.includes("=")) setEnv(work, textOf(name, work.argv[i]?.[0]?.at ?? 0));
      else if (name !== "ALL" && name !== "NONE") work.passed.push(name);
    }
  }
  return untilProgram(work);
}

function runContainer(work: Work): boolean {
  const verb = work.words.find((word) => /^(?:run|exec)$/.test(word));
  if (verb === undefined) return false;
  work.keepsEnvironment = false;
  const at = work.words.findIndex((word, i) => i > 1 && BEGINS.test(nameOf(word)));
  for (const [i, word] of work.words.slice(0, at === -1 ? undefined : at).entries()) {
    const isFlag = word === "-e" || word === "--env";
    const text = isFlag ? work.argv[i + 1] : word.startsWith("--env=") ? work.argv[i] : undefined;
    if (text === undefined) continue;
    const value = isFlag ? text : dropStart(text, "--env=".length);
    const known = plain(value) ?? show(value);
    if (known.includes("=")) setEnv(work, value);
    else work.passed.push(known);
  }
  return at !== -1 && cutTo(work, at, `${work.name} ${verb}`);
}

function dropStart(text: Text, count: number): Text {
  const [first, ...rest] = text;
  if (!first || "unknown" in first) return text;
  return [...textOf(first.text.slice(count), first.at + count), ...rest];
}

function runShell(work: Work): boolean {
  const { words, argv, input } = work;
  let at = 1;
  for (; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--" || !/^[-+]/.test(word)) break;
    if (/^-[A-Za-z]+$/.test(word) && word.includes("c")) {
      while (/^[-+]/.test(words[at + 1] ?? "")) at += 1;
      work.code = argv[at + 1] ?? EMPTY;
      work.args = argv.slice(at + 2);
      return true;
    }
    if (/^-[A-Za-z]*s$/.test(word)) {
      work.code = input;
      work.args = argv.slice(at);
      return input !== null;
    }
    if (/^[-+][A-Za-z]*[oO]$/.test(word) || word === "--rcfile" || word === "--init-file") at += 1;
  }
  if (words[at] === "--") at += 1;
  const file = words[at];
  if (file === undefined) {
    work.code = input;
    return input !== null;
  }
  work.file = plain(argv[at] ?? EMPTY);
  work.args = argv.slice(at);
  return true;
}

function runSbatch(work: Work): boolean {
  const { words, argv, input } = work;
  const wrapped = words.findIndex((word) => word.startsWith("--wrap"));
  if (wrapped !== -1) {
    const isJoined = words[wrapped]?.startsWith("--wrap=");
    work.code = isJoined ? dropStart(argv[wrapped] ?? EMPTY, 7) : (argv[wrapped + 1] ?? EMPTY);
    return true;
  }
  const file = argv.find((_, i) => i > 0 && /\.(?:sh|slurm|sbatch|bash)$/.test(words[i] ?? ""));
  if (file !== undefined) {
    work.file = plain(file);
    work.args = argv.slice(argv.indexOf(file));
    return true;
  }
  work.code = input;
  return input !== null;
}

const joined = (argv: readonly Text[]): Text =>
  argv.flatMap((text, i): Piece[] =>
    i > 0 ? [...textOf(" ", text[0]?.at ?? 0), ...text] : [...text],
  );

function runRemote(work: Work): boolean {
  const at = afterOptions(
    work.words,
    1,
    new Set("-p -i -o -l -L -R -F -J -D -W -b -c -E -e -m -S".split(" ")),
  );
  const rest = work.argv.slice(at + 1);
  work.keepsEnvironment = false;
  if (rest.length === 0 && work.input === null) return false;
  work.code = rest.length === 0 ? work.input : joined(rest);
  return true;
}

function runTmux(work: Work): boolean {
  const code = work.argv.findLast((_, i) => /\s/.test(work.words[i] ?? ""));
  if (code === undefined) return untilProgram(work);
  work.code = code;
  return true;
}

function runSu(work: Work): boolean {
  const at = work.words.indexOf("-c");
  if (at === -1) return false;
  work.code = work.argv[at + 1] ?? EMPTY;
  return true;
}

const RAY_FLAGS = new Set(["--no-wait", "-v", "--verbose", "--log-color-x"]);

function runRay(work: Work): boolean {
  const { words } = work;
  if (words[1] === "exec" && words.length > 3) {
    work.keepsEnvironment = false;
    work.code = work.argv.at(-1) ?? EMPTY;
    return true;
  }
  if (words[1] !== "job" || words[2] !== "submit") return false;
  work.keepsEnvironment = false;
  let at = 3;
  for (; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--" || !word.startsWith("-")) break;
    const [option = ""] = word.split("=", 1);
    const hasValue = word.includes("=");
    const value = hasValue
      ? dropStart(work.argv[at] ?? EMPTY, option.length + 1)
      : work.argv[at + 1];
    if (option === "--runtime-env-json") readRuntimeEnv(work, option, value ?? EMPTY);
    else if (option === "--runtime-env")
      work.notes.push({
        name: option,
        message: `${show(value ?? EMPTY)} is another file: its variables are not known here`,
      });
    if (!hasValue && !RAY_FLAGS.has(option)) at += 1;
  }
  if (words[at] === "--") at += 1;
  const rest = work.argv.slice(at);
  const [only] = rest;
  if (only && rest.length === 1 && /\s/.test(plain(only) ?? show(only))) {
    work.via.push("ray job submit");
    work.code = only;
    return true;
  }
  return cutTo(work, at, "ray job submit");
}

/** Variables of a Ray job's runtime environment; the rest of it is LiveRL's own to set. */
function readRuntimeEnv(work: Work, name: string, json: Text): void {
  const marks: Piece[] = [];
  let source = "";
  for (const piece of json) {
    if ("text" in piece) source += piece.text;
    else {
      source += String.fromCharCode(0xf000 + marks.length);
      marks.push(piece);
    }
  }
  const parsed = parsedObject(source);
  if (parsed === null) {
    work.notes.push({
      name,
      message: "is not JSON that LiveRL can read: its variables are left out",
    });
    return;
  }
  const { env_vars: variables, ...others } = parsed;
  const at = json[0]?.at ?? 0;
  if (typeof variables === "object" && variables !== null)
    for (const [key, value] of Object.entries(variables))
      work.env.set(key, withMarks(String(value), marks, at));
  const left = Object.keys(others);
  if (left.length > 0)
    work.notes.push({
      name,
      message: `${left.join(", ")} left out: LiveRL sends the job an environment of its own`,
    });
}

function parsedObject(source: string): Record<string, unknown> | null {
  try {
    const value: unknown = parseYaml(source, { maxAliasCount: 0 });
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { ...value }
      : null;
  } catch {
    return null;
  }
}

const withMarks = (value: string, marks: readonly Piece[], at: number): Text =>
  value.split(/([\uf000-\uf8ff])/).flatMap((part): Piece[] => {
    const mark = marks[part.charCodeAt(0) - 0xf000];
    if (part.length === 1 && mark) return [mark];
    return part === "" ? [] : [{ text: part, at }];
  });

const LAUNCHER_FLAGS = new Set(
  "--standalone --no-python --no_python --multi_gpu --multi-gpu --use_deepspeed --use_fsdp --cpu --mps --tpu --quiet --debug --same_network --rdzv-standalone --no_ssh --force_multi --no_local_rank --dynamo_use_dynamic --use_megatron_lm --redirects-x -q".split(
    " ",
  ),
);

/** `torchrun … script`, `accelerate launch … -m module`: what follows their options runs in Python. */
function runLauncher(work: Work, from: number): boolean {
  const name = work.words.slice(0, from).join(" ");
  let at = from;
  for (; at < work.words.length; at++) {
    const word = work.words[at] ?? "";
    if (word === "-m" || word === "--module" || !word.startsWith("-")) break;
    if (!word.includes("=") && !LAUNCHER_FLAGS.has(word)) at += 1;
  }
  if (at >= work.words.length) return false;
  const place = work.argv[at]?.[0]?.at ?? 0;
  const isModule = work.words[at] === "-m" || work.words[at] === "--module";
  const rest = isModule ? [textOf("-m", place), ...work.argv.slice(at + 1)] : work.argv.slice(at);
  const isProgram = BEGINS.test(nameOf(work.words[at] ?? ""));
  work.argv = isProgram ? rest : [textOf("python3", place), ...rest];
  work.via.push(name);
  return true;
}

/** `python -m torch.distributed.run` is torchrun. */
function runDistributed(work: Work): boolean {
  const at = work.words.indexOf("-m");
  const module = work.words[at + 1] ?? "";
  const isLauncher = /^(?:torch\.distributed\.(?:run|launch)|accelerate\.commands\.launch)$/.test(
    module,
  );
  if (at === -1 || at > 4 || !isLauncher) return false;
  const argv = work.argv.slice(at + 1);
  work.argv = argv;
  work.words = work.words.slice(at + 1);
  return runLauncher(work, 1);
}
