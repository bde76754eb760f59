import {
  type ArithmeticExpression,
  type Assignment,
  type Command,
  type CompoundList,
  type ParsedScript,
  type ProcessSubstitutionPart,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
  type WordPart,
} from "unbash";
import {
  evaluateArithmetic,
  type Integer,
  isInteger,
} from "#launch/environment/bash/arithmetic.ts";
import { BUILTINS } from "#launch/environment/bash/builtins.ts";
import type { Choices } from "#launch/environment/bash/choices.ts";
import { runCompound } from "#launch/environment/bash/compound.ts";
import type { Doubt } from "#launch/environment/bash/conditions.ts";
import type { PatternChar } from "#launch/environment/bash/pattern.ts";
import { PROGRAMS } from "#launch/environment/bash/programs.ts";
import {
  DONE,
  failed,
  isSilent,
  Jump,
  LIMITS,
  likelyCode,
  type Status,
  TooMuch,
} from "#launch/environment/bash/status.ts";
import {
  EMPTY,
  lengthOf,
  type Piece,
  plain,
  show,
  sliceText,
  type Text,
  textOf,
  trimLineEnds,
  type Unknown,
  unknownText,
} from "#launch/environment/bash/text.ts";
import { nextIndex, Variables } from "#launch/environment/bash/variables.ts";
import {
  expandFields,
  expandParts,
  expandWord,
  patternChars,
} from "#launch/environment/bash/words.ts";
import { type Started, unwrapCommand } from "#launch/environment/bash/wrappers.ts";

/** A text that is parsed, and where its characters stand in what the user pasted. */
export interface Source {
  text: string;
  at: (position: number) => number;
}

/** A program that the script starts. */
export interface Invocation extends Started {
  at: number;
  /** What the program gets in its environment. */
  env: ReadonlyMap<string, Text>;
  /** It stands in `$(…)`: its output is a value. */
  isCaptured: boolean;
}

export interface Finding {
  at: number;
  name: string;
  message: string;
}

/** What a reading has seen; shared by a shell and its subshells. */
export class Trace {
  readonly invocations: Invocation[] = [];
  readonly findings: Finding[] = [];
  /** Starts of the statements that were run. */
  readonly ran = new Set<number>();
  stepsLeft: number;
  charactersLeft = LIMITS.characters;
  /** Unknown parts of a text that is parsed as a script, by the character that stands for each. */
  readonly marks: Unknown[] = [];
  readonly files = new Map<string, Text>();
  usesArguments = false;
  readonly outside = new Map<string, { source: string; at: number }>();

  constructor(steps: number) {
    this.stepsLeft = steps;
  }
}

interface Defined {
  body: SyntaxNode;
  source: Source;
}

const FIRST_MARK = 0xe000;
/** In every environment: a default after `:-` never counts for them. */
const ALWAYS_SET = new Set(
  "HOME USER LOGNAME PATH PWD SHELL HOSTNAME UID EUID PPID BASHPID RANDOM SECONDS BASH BASH_VERSION OSTYPE HOSTTYPE MACHTYPE BASH_SOURCE LINENO EPOCHSECONDS".split(
    " ",
  ),
);
/** LiveRL puts a run's own modules before what the script finds there, so an unset one is an empty one. */
const EMPTY_OUTSIDE = new Set(["PYTHONPATH", "LD_LIBRARY_PATH"]);

export class Shell {
  source: Source;
  readonly trace: Trace;
  readonly choices: Choices;
  variables: Variables;
  functions: Map<string, Defined>;
  /** Null: the script's own arguments, which nobody has given. */
  positional: Text[] | null;
  options: Set<string>;
  status: Status = DONE;
  /** Where standard output goes; null: nobody reads it. */
  output: Piece[] | null = null;
  /** What is left of standard input; null: unknown. */
  input: { rest: Text } | null = null;
  /** Inside a condition, where `set -e` does not count. */
  ignoringErrors = 0;
  depth = 0;
  isCaptured = false;

  constructor(source: Source, trace: Trace, choices: Choices, from?: Shell) {
    this.source = source;
    this.trace = trace;
    this.choices = choices;
    this.variables = new Variables(from?.variables);
    this.functions = new Map(from?.functions);
    this.positional = from ? from.positional : null;
    this.options = new Set(from?.options);
    this.depth = (from?.depth ?? 0) + 1;
    this.isCaptured = from?.isCaptured ?? false;
    this.input = from?.input ?? null;
    this.output = from?.output ?? null;
    this.ignoringErrors = from?.ignoringErrors ?? 0;
    if (this.depth > LIMITS.depth) throw new TooMuch();
  }

  get files() {
    return this.trace.files;
  }

  get ifs(): string {
    const own = this.variables.get("IFS");
    return own === undefined ? " \t\n" : (plain(own) ?? " \t\n");
  }

  at(position: number): number {
    return this.source.at(position);
  }

  spend(steps: number): void {
    this.trace.stepsLeft -= steps;
    if (this.trace.stepsLeft < 0) throw new TooMuch();
  }

  append(pieces: Piece[], text: Text): void {
    this.trace.charactersLeft -= lengthOf(text);
    if (this.trace.charactersLeft < 0 || pieces.length > LIMITS.pieces) throw new TooMuch();
    for (const piece of text) pieces.push(piece);
  }

  note(at: number, name: string, message: string): void {
    if (this.trace.findings.length < 500) this.trace.findings.push({ at, name, message });
  }

  // Expansion.

  expand(word: Word | undefined): Text {
    return expandWord(this, word);
  }

  fields(words: readonly Word[]): Text[] {
    return expandFields(this, words);
  }

  expandParts(parts: readonly WordPart[]): Text {
    return expandParts(this, parts);
  }

  pattern(word: Word): PatternChar[] | null {
    return patternChars(this, word);
  }

  get hasMarks(): boolean {
    return this.trace.marks.length > 0;
  }

  markAt(char: string): Unknown | undefined {
    return this.trace.marks[char.charCodeAt(0) - FIRST_MARK];
  }

  unescape(text: string): string {
    return text.replace(/\\(\n|[\s\S])/g, (_, char: string) => (char === "\n" ? "" : char));
  }

  /** `$1`, `$#`, `$?`; undefined for a name, and for an argument that nobody has given. */
  special(name: string): Text | undefined {
    if (/^\d+$/.test(name)) {
      if (name === "0") return unknownText({ source: "$0", names: [] }, 0);
      return this.positional === null ? undefined : this.positional[Number(name) - 1];
    }
    if (name === "?") return this.statusText();
    if (name === "#") return this.argumentCount(0);
    if (name === "@" || name === "*")
      return this.argumentList().flatMap((each, i) =>
        i > 0 ? [...textOf(" ", 0), ...each] : each,
      );
    if (name === "-")
      return textOf([...this.options].filter((one) => one.length === 1).join(""), 0);
    if (name === "FUNCNAME") return textOf("main", 0);
    return undefined;
  }

  private statusText(): Text {
    const { code, question } = this.status;
    if (question === null) return textOf(String(code), 0);
    return unknownText({ source: "$?", names: [], assumed: String(code) }, 0);
  }

  argumentList(): readonly Text[] {
    if (this.positional === null) this.trace.usesArguments = true;
    return this.positional ?? [];
  }

  argumentCount(at: number): Text {
    return this.positional === null
      ? this.orKnown({ source: "$#", names: ["1"], assumed: "0" }, at)
      : textOf(String(this.positional.length), at);
  }

  /** A parameter that the script does not set: from the shell that runs it. */
  outside(name: string, source: string, at: number): Text {
    if (/^\d+$/.test(name)) {
      if (this.positional !== null) return EMPTY;
      this.trace.outside.set(name, { source: `$${name}`, at });
      return this.orKnown({ source: `$${name}`, names: [name], assumed: "" }, at);
    }
    if (!/^[A-Za-z_]/.test(name)) return unknownText({ source, names: [] }, at);
    if (this.variables.isOwn(name) || EMPTY_OUTSIDE.has(name)) return EMPTY;
    if (!this.trace.outside.has(name)) this.trace.outside.set(name, { source: `$${name}`, at });
    const unknown = { source: `$${name}`, names: [name] };
    return this.orKnown(ALWAYS_SET.has(name) ? unknown : { ...unknown, assumed: "" }, at);
  }

  private orKnown(unknown: Unknown, at: number): Text {
    const known = this.choices.known.get(unknown.source);
    return known === undefined ? unknownText(unknown, at) : textOf(known, at);
  }

  isGivenOutside(name: string): boolean {
    if (this.variables.isOwn(name)) return false;
    return ALWAYS_SET.has(name) || this.choices.known.has(`$${name}`);
  }

  /** A subscript as a key: a word for `declare -A`, else an expression. */
  indexOf(name: string, index: string): string {
    const word = plain(this.expandText(index)) ?? index;
    const kind = this.variables.find(name)?.kind;
    if (kind === "map") return word;
    const value = this.evaluateExpression(word, 0);
    if (!isInteger(value)) return "0";
    if (value >= 0n) return String(value);
    return String(nextIndex(this.variables.find(name)) + Number(value));
  }

  /** Expands a text as if it stood in double quotes. */
  expandText(text: string): Text {
    if (!/[$`"'\\]/.test(text)) return textOf(text, 0);
    const command = parse(`: ${text}`).commands[0]?.command;
    const word = command?.type === "Command" ? command.args[0] : undefined;
    return word?.type === "Word" ? this.aside(() => expandWord(this, word)) : textOf(text, 0);
  }

  evaluateExpression(text: string, depth: number): Integer {
    this.spend(1 + Math.ceil(text.length / 50));
    if (depth > 16) return { source: text.slice(0, 100), names: [] };
    if (/^-?(?:0|[1-9]\d{0,17})$/.test(text)) return BigInt(text);
    const command = parse(`((${text}\n))`).commands[0]?.command;
    if (command?.type !== "ArithmeticCommand") return { source: text.slice(0, 100), names: [] };
    const { expression } = command;
    return this.aside(() => evaluateArithmetic(this, expression, depth + 1));
  }

  /** Runs with positions that mean nothing in the user's text. */
  private aside<T>(work: () => T): T {
    return this.within({ text: "", at: () => 0 }, work);
  }

  /** Runs on the parts of another text. */
  within<T>(source: Source, work: () => T): T {
    const before = this.source;
    this.source = source;
    try {
      return work();
    } finally {
      this.source = before;
    }
  }

  // Substitution.

  /** What a script prints, as `$(…)` takes it. */
  capture(script: ParsedScript | undefined, source: string, position: number): Text {
    const at = this.at(position);
    if (script === undefined) return unknownText({ source, names: [] }, at);
    const decoded = script.source;
    const shell = this.child(decoded === undefined ? this.source : { text: decoded, at: () => at });
    shell.output = [];
    shell.isCaptured = true;
    this.status = shell.runAll(script.commands);
    const text = trimLineEnds(shell.output);
    // A program's output is known by the whole substitution that it stands in.
    return text.map((piece) =>
      "unknown" in piece && piece.unknown.source === ""
        ? { at, unknown: { ...piece.unknown, source } }
        : piece,
    );
  }

  substituteProcess(part: ProcessSubstitutionPart): Text {
    const path = `/dev/fd/${63 + this.files.size}`;
    this.files.set(path, part.operator === "<" ? this.captureRaw(part) : EMPTY);
    return textOf(path, this.at(part.pos));
  }

  private captureRaw(part: ProcessSubstitutionPart): Text {
    const shell = this.child(this.source);
    shell.output = [];
    shell.isCaptured = true;
    shell.runAll(part.script?.commands ?? []);
    return shell.output;
  }

  child(source: Source = this.source): Shell {
    this.spend(40 + Math.ceil(this.variables.names().length / 20));
    return new Shell(source, this.trace, this.choices, this);
  }

  // Running.

  /** Runs a whole script or subshell: `exit` ends it, and nothing else. */
  runAll(statements: readonly Statement[]): Status {
    try {
      this.run(statements);
    } catch (error) {
      if (!(error instanceof Jump)) throw error;
      if (error.kind === "exit" || error.kind === "return") this.status = failed(error.value);
    }
    return this.status;
  }

  run(statements: readonly Statement[]): Status {
    for (const statement of statements) {
      this.spend(1);
      this.trace.ran.add(this.at(statement.pos));
      if (statement.background) {
        this.child().runAll([{ ...statement, background: undefined }]);
        this.status = DONE;
      } else this.status = this.node(statement.command);
    }
    return this.status;
  }

  list(list: CompoundList): Status {
    return list.commands.length === 0 ? DONE : this.run(list.commands);
  }

  node(node: SyntaxNode): Status {
    this.spend(1);
    if (node.type !== "Command") return runCompound(this, node);
    const status = this.command(node);
    this.stopOnError(status);
    return status;
  }

  stopOnError(status: Status): void {
    const stops = this.options.has("e") && this.ignoringErrors === 0;
    if (stops && status.question === null && status.code !== 0) throw new Jump("exit", status.code);
  }

  /** Runs what decides which way the script goes. */
  condition(work: () => Status): Status {
    this.ignoringErrors += 1;
    try {
      return work();
    } finally {
      this.ignoringErrors -= 1;
    }
  }

  exit(code: number): never {
    throw new Jump("exit", code);
  }

  /** Whether a status means success; asks where only a run would tell. */
  succeeded({ code, question }: Status, node: SyntaxNode): boolean {
    if (question === null) return code === 0;
    return this.decide(node, question, ["succeeds", "fails"], code === 0 ? 0 : 1, []) === 0;
  }

  ask(doubt: Doubt, node?: SyntaxNode): boolean {
    const place = node ?? this.current;
    const taken = this.decide(
      place,
      doubt.question,
      ["true", "false"],
      doubt.assumed ? 0 : 1,
      doubt.names,
    );
    if (taken === 0 && doubt.equals)
      this.choices.known.set(doubt.equals.source, doubt.equals.value);
    return taken === 0;
  }

  current: SyntaxNode | null = null;

  decide(
    node: SyntaxNode | null,
    question: string,
    options: readonly string[],
    assumed: number,
    names: readonly string[],
  ): number {
    const at = node ? this.at(node.pos) : 0;
    const condition = node ? this.source.text.slice(node.pos, node.end) || question : question;
    return this.choices.decide({
      ...{ id: String(at), at, condition, question, options, assumed, names },
    });
  }

  // Simple commands.

  private command(command: Command): Status {
    this.current = command;
    const words = [command.name, ...command.suffix].filter((each) => each?.type === "Word");
    const argv = this.fields(words as Word[]);
    const redirected = this.redirect(command.redirects);
    try {
      return this.dispatch(command, argv);
    } finally {
      redirected();
    }
  }

  private dispatch(command: Command, argv: readonly Text[]): Status {
    const assignments = command.prefix.filter((each) => each.type === "Assignment");
    const [first] = argv;
    if (first === undefined) {
      this.status = DONE;
      for (const each of assignments) this.assign(each);
      return this.status;
    }
    const name = plain(first);
    const own = name === null ? undefined : this.functions.get(name);
    if (own) return this.call(own, argv.slice(1), assignments);
    const declared = command.suffix.filter((each) => each.type === "Assignment");
    const builtin = name === null ? undefined : BUILTINS.get(name);
    if (builtin) {
      // `IFS=, read …`: for this command alone.
      this.variables.enterFunction({ isTemporary: true });
      try {
        for (const each of assignments)
          this.assign(each, () => this.variables.makeLocal(each.name));
        return builtin(this, { argv, declared, node: command });
      } finally {
        this.variables.leaveFunction();
      }
    }
    return this.start(command, argv, assignments);
  }

  private call(own: Defined, args: Text[], assignments: readonly Assignment[]): Status {
    const { positional, source, depth } = this;
    if (depth > LIMITS.depth) throw new TooMuch();
    this.variables.enterFunction();
    for (const each of assignments) {
      this.variables.makeLocal(each.name);
      this.assign(each);
    }
    this.positional = args;
    this.source = own.source;
    this.depth += 1;
    try {
      return this.node(own.body);
    } catch (error) {
      if (error instanceof Jump && error.kind === "return") return failed(error.value);
      throw error;
    } finally {
      this.variables.leaveFunction();
      this.positional = positional;
      this.source = source;
      this.depth = depth;
    }
  }

  /** A program: one that only prints text is computed, a shell is read, any other is noted. */
  private start(
    command: Command,
    argv: readonly Text[],
    assignments: readonly Assignment[],
  ): Status {
    const shell = assignments.length === 0 ? this : this.child();
    for (const each of assignments) {
      shell.assign(each);
      shell.variables.declare(each.name, { isExported: true });
    }
    return shell.program(argv, this.at(command.pos));
  }

  program(argv: readonly Text[], at: number): Status {
    this.spend(10 + argv.length);
    const name = plain(argv[0] ?? EMPTY)?.replace(/^\/(?:usr\/)?bin\//, "");
    const computed = name === undefined ? undefined : PROGRAMS.get(name)?.(this, argv.slice(1));
    if (computed) {
      this.print(computed);
      return DONE;
    }
    const started = unwrapCommand(argv, this.input?.rest ?? null);
    for (const { name, message } of started.notes) this.note(at, name, message);
    const env = started.keepsEnvironment ? this.variables.exported() : new Map<string, Text>();
    for (const key of started.passed) {
      const value = this.variables.get(key);
      if (value !== undefined) env.set(key, value);
    }
    for (const key of started.removed) env.delete(key);
    for (const [key, value] of started.env) env.set(key, value);
    const code = started.file === null ? started.code : (this.files.get(started.file) ?? null);
    if (code !== null) return this.runCode(code, started.args, env);
    // A list of overrides without a command: `n=8 a.b=$n`.
    if (/^[+~]{0,2}[A-Za-z_][\w./@-]*=/.test(plain(argv[0] ?? EMPTY) ?? show(argv[0] ?? EMPTY)))
      this.assignWords(argv.slice(1));
    this.trace.invocations.push({ ...started, at, env, isCaptured: this.isCaptured });
    if (!isSilent(argv)) this.print(unknownText({ source: "", names: [] }, at));
    return {
      code: likelyCode(argv),
      question: `${started.argv.map(show).join(" ")}`.slice(0, 300),
    };
  }

  private assignWords(argv: readonly Text[]): void {
    for (const text of argv) {
      const [, name = ""] = /^([A-Za-z_]\w*)=/.exec(show(text)) ?? [];
      if (name !== "") this.variables.assign(name, sliceText(text, name.length + 1));
    }
  }

  /** A shell that gets its script as text: `bash -c`, a here-document, a file that the script has written. */
  private runCode(code: Text, args: readonly Text[], env: ReadonlyMap<string, Text>): Status {
    const shell = this.child(this.sourceOf(code));
    shell.variables.keepExported();
    for (const [name, value] of env) {
      shell.variables.assign(name, value);
      shell.variables.declare(name, { isExported: true });
    }
    shell.functions.clear();
    shell.options.clear();
    shell.positional = args.slice(1);
    return shell.runParsed();
  }

  /** `eval` and `source`: a script's text is run in this shell. */
  runHere(code: Text): Status {
    const before = this.source;
    this.source = this.sourceOf(code);
    this.depth += 1;
    if (this.depth > LIMITS.depth) throw new TooMuch();
    try {
      return this.runParsed();
    } finally {
      this.source = before;
      this.depth -= 1;
    }
  }

  private runParsed(): Status {
    const script = parse(this.source.text);
    for (const error of script.errors ?? [])
      this.note(this.at(error.pos), "syntax", `bash cannot read this: ${error.message}`);
    return this.runAll(script.commands);
  }

  /** A text as a script: its unknown parts become characters that stand for them. */
  private sourceOf(code: Text): Source {
    this.spend(1 + Math.ceil(lengthOf(code) / 20));
    const starts: { from: number; at: number }[] = [];
    let text = "";
    for (const piece of code) {
      starts.push({ from: text.length, at: piece.at });
      if ("text" in piece) text += piece.text;
      else if (this.trace.marks.length < 1_000) {
        text += String.fromCharCode(FIRST_MARK + this.trace.marks.length);
        this.trace.marks.push(piece.unknown);
      }
    }
    const at = (position: number) => {
      let [low, high] = [0, starts.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((starts[middle]?.from ?? 0) <= position) low = middle;
        else high = middle - 1;
      }
      const found = starts[low];
      return found === undefined ? 0 : found.at + position - found.from;
    };
    return { text, at };
  }

  print(text: Text): void {
    if (this.output) this.append(this.output, text);
  }

  // Assignments and redirections.

  /** `prepare` runs once the value is known, before the name gets it. */
  assign({ name, value, append, index }: Assignment, prepare?: () => void): void {
    const before = this.variables.find(name);
    if (value.type === "ArrayValue") {
      this.spend(1 + Math.ceil((append ? (before?.items.size ?? 0) : 0) / 5));
      const items = this.elements(name, value.elements, append ?? false);
      prepare?.();
      this.variables.assignList(name, items, append ?? false);
      return;
    }
    const text = this.expand(value);
    prepare?.();
    const key = index === undefined ? undefined : this.indexOf(name, index.text);
    if (before?.isInteger) {
      const known = plain(text);
      const number = known === null ? null : this.evaluateExpression(known, 0);
      if (number !== null && isInteger(number)) {
        const old = append
          ? this.evaluateExpression(plain(before.items.get(key ?? "0") ?? []) || "0", 0)
          : 0n;
        const sum = isInteger(old) ? old + number : number;
        this.variables.assign(name, textOf(String(sum), this.at(value.pos)), key);
        return;
      }
    }
    if (append) this.spend(1 + Math.ceil((before?.items.get(key ?? "0")?.length ?? 0) / 50));
    this.variables.assign(name, text, key, append ?? false);
    if (this.options.has("a")) this.variables.declare(name, { isExported: true });
  }

  private elements(name: string, words: readonly Word[], isAppended: boolean): Map<string, Text> {
    const items = new Map<string, Text>();
    const isMap = this.variables.find(name)?.kind === "map";
    let next = isAppended ? nextIndex(this.variables.find(name)) : 0;
    for (const word of words) {
      const [, index] = /^\[((?:[^\]"']|"[^"]*"|'[^']*')*)\]=/.exec(word.text) ?? [];
      if (index !== undefined) {
        const whole = this.expand(word);
        const cut = plain(whole.slice(0, 1))?.indexOf("]=") ?? -1;
        const key = isMap ? (plain(this.expandText(index)) ?? index) : this.indexOf(name, index);
        items.set(key, cutBefore(whole, cut === -1 ? index.length + 3 : cut + 2));
        next = Number(key) + 1 || next;
      } else
        for (const field of this.fields([word])) {
          items.set(String(next), field);
          next += 1;
          this.spend(2);
        }
    }
    return items;
  }

  /** Points input and output elsewhere; the answer puts them back. */
  redirect(redirections: readonly Redirection[]): () => void {
    const { input, output } = this;
    const afterwards: (() => void)[] = [];
    for (const each of redirections) {
      if (each.type === "HereDoc") this.input = { rest: this.hereDocument(each) };
      else if (each.type === "HereString")
        this.input = { rest: [...this.expand(each.target), ...textOf("\n", this.at(each.pos))] };
      else this.redirectFile(each, afterwards);
    }
    return () => {
      for (const each of afterwards) each();
      this.input = input;
      this.output = output;
    };
  }

  private hereDocument({
    body,
    delimiter,
    operator,
  }: Extract<Redirection, { type: "HereDoc" }>): Text {
    const isLiteral = delimiter?.quoted || body.parts === undefined || body.parts.length === 0;
    const text = isLiteral
      ? textOf(body.text, this.at(body.pos))
      : expandParts(this, body.parts ?? [], true);
    if (operator === "<<") return text;
    return text.map((piece) =>
      "text" in piece ? { ...piece, text: piece.text.replace(/^\t+/gm, "") } : piece,
    );
  }

  private redirectFile(
    { operator, descriptor, target }: Extract<Redirection, { type: "Redirect" }>,
    afterwards: (() => void)[],
  ): void {
    const number = descriptor?.type === "FileDescriptor" ? descriptor.value : null;
    if (operator === "<&" || operator === ">&") {
      // `1>&2`: what is printed is no output any more.
      if (operator === ">&" && (number ?? 1) === 1) this.output = null;
      return;
    }
    const path = plain(this.expand(target));
    if (operator === "<") {
      const content = path === null ? undefined : this.files.get(path);
      this.input = content === undefined ? null : { rest: content };
      return;
    }
    if (number !== null && number !== 1) return;
    const written: Piece[] = [];
    this.output = written;
    if (path !== null && path !== "/dev/null" && operator !== "<>")
      afterwards.push(() => {
        const before = operator.endsWith(">>") ? (this.files.get(path) ?? EMPTY) : EMPTY;
        this.files.set(path, [...before, ...written]);
      });
  }

  /** Runs an arithmetic command: 0 is false. */
  arithmetic(expression: ArithmeticExpression | undefined): Integer {
    return evaluateArithmetic(this, expression);
  }
}

const cutBefore = (text: Text, from: number): Text => {
  let left = from;
  const pieces: Piece[] = [];
  for (const piece of text) {
    if (left > 0 && "text" in piece) {
      const cut = Math.min(left, piece.text.length);
      left -= cut;
      if (cut < piece.text.length) pieces.push({ text: piece.text.slice(cut), at: piece.at + cut });
    } else pieces.push(piece);
  }
  return pieces;
};
