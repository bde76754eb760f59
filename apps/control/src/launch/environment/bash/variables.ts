import { EMPTY, plain, type Text } from "#launch/environment/bash/text.ts";

export interface Variable {
  kind: "scalar" | "array" | "map";
  /** By index as text; a scalar stands at "0". In order of insertion for a map, of the index for an array. */
  items: ReadonlyMap<string, Text>;
  isExported: boolean;
  isInteger: boolean;
  casing: "upper" | "lower" | null;
  /** `declare -n`: another variable's name. */
  refersTo: string | null;
}

/** What `local` hid. */
interface Scope {
  before: Map<string, Variable | undefined>;
  isTemporary: boolean;
}

const FRESH: Variable = {
  kind: "scalar",
  items: new Map(),
  isExported: false,
  isInteger: false,
  casing: null,
  refersTo: null,
};

/** Variables of a shell: values are never changed in place, so a subshell shares them until it assigns. */
export class Variables {
  private all: Map<string, Variable>;
  /** What `local` hid, a map a function call. */
  private readonly hidden: Scope[] = [];
  /** Names whose value counted somewhere. Shared by all subshells. */
  readonly wasRead: Set<string>;

  constructor(from?: Variables) {
    this.all = new Map(from?.all);
    this.wasRead = from?.wasRead ?? new Set();
    for (const { before, isTemporary } of from?.hidden ?? [])
      this.hidden.push({ before: new Map(before), isTemporary });
  }

  markRead(name: string): void {
    this.wasRead.add(name);
  }

  /** The variable that a name means in the end: `declare -n` is followed. */
  resolve(name: string): string {
    let found = name;
    for (let hops = 0; hops < 8; hops++) {
      const next = this.all.get(found)?.refersTo;
      if (!next) return found;
      found = next;
    }
    return found;
  }

  find(name: string): Variable | undefined {
    return this.all.get(this.resolve(name));
  }

  get(name: string, index = "0"): Text | undefined {
    return this.find(name)?.items.get(index);
  }

  isSet(name: string): boolean {
    return (this.find(name)?.items.size ?? 0) > 0;
  }

  assign(name: string, value: Text, index?: string, isAppended = false): void {
    const target = this.resolve(name);
    const before = this.all.get(target) ?? FRESH;
    const at = index ?? "0";
    const joined = isAppended ? [...(before.items.get(at) ?? EMPTY), ...value] : value;
    const items = new Map(before.items);
    const isNew = !items.has(at);
    items.set(at, cased(before, joined));
    const kind = before.kind === "scalar" && index !== undefined ? "array" : before.kind;
    this.all.set(target, {
      ...before,
      kind,
      items: kind === "array" && isNew ? inOrder(items) : items,
    });
  }

  assignList(name: string, items: ReadonlyMap<string, Text>, isAppended: boolean): void {
    const target = this.resolve(name);
    const before = this.all.get(target) ?? FRESH;
    const kind = before.kind === "map" ? "map" : "array";
    const merged = new Map(isAppended ? before.items : []);
    for (const [index, text] of items) merged.set(index, cased(before, text));
    this.all.set(target, { ...before, kind, items: kind === "map" ? merged : inOrder(merged) });
  }

  /** Attributes of `declare`, `local`, `export`; a name without a value exists from then on. */
  declare(name: string, change: Partial<Omit<Variable, "items">>): void {
    const target = change.refersTo === undefined ? this.resolve(name) : name;
    const before = this.all.get(target) ?? FRESH;
    this.all.set(target, { ...before, ...change });
  }

  unset(name: string, index?: string): void {
    const target = this.resolve(name);
    const before = this.all.get(target);
    // The script took it away, so nobody outside gives it a value any more.
    if (index === undefined || !before) this.all.set(target, FRESH);
    else {
      const items = new Map(before.items);
      items.delete(index);
      this.all.set(target, { ...before, items });
    }
  }

  /** `isTemporary`: for the variables before a builtin; `local` in it means the function around. */
  enterFunction({ isTemporary = false } = {}): void {
    this.hidden.push({ before: new Map(), isTemporary });
  }

  leaveFunction(): void {
    for (const [name, before] of this.hidden.pop()?.before ?? [])
      if (before) this.all.set(name, before);
      else this.all.delete(name);
  }

  /** Hides a variable of the callers until the function returns. */
  makeLocal(name: string, { ofFunction = false } = {}): void {
    const scopes = ofFunction ? this.hidden.filter((each) => !each.isTemporary) : this.hidden;
    const scope = scopes.at(-1)?.before;
    if (!scope || scope.has(name)) return;
    const before = this.all.get(name);
    scope.set(name, before);
    this.all.set(name, { ...FRESH, isExported: before?.isExported ?? false });
  }

  /** The script has assigned, declared or unset it; else its value comes from outside. */
  isOwn(name: string): boolean {
    return this.all.has(this.resolve(name));
  }

  get isInFunction(): boolean {
    return this.hidden.some(({ isTemporary }) => !isTemporary);
  }

  names(): string[] {
    return [...this.all.keys()].filter((name) => this.isSet(name));
  }

  /** What a program that is started now gets. */
  exported(): Map<string, Text> {
    const found = new Map<string, Text>();
    for (const [name, { isExported, items, kind }] of this.all) {
      const value = items.get("0");
      if (isExported && kind === "scalar" && value !== undefined) found.set(name, value);
    }
    return found;
  }

  /** A program's own shell begins with the exported variables alone. */
  keepExported(): void {
    const kept = [...this.all].filter(([, each]) => each.isExported && each.kind === "scalar");
    this.all = new Map(kept);
    this.hidden.length = 0;
  }
}

function inOrder(items: Map<string, Text>): Map<string, Text> {
  let last = -1;
  for (const key of items.keys()) {
    const index = Number(key);
    if (index < last) return new Map([...items].sort(([a], [b]) => Number(a) - Number(b)));
    last = index;
  }
  return items;
}

function cased({ casing }: Variable, text: Text): Text {
  if (casing === null) return text;
  const change = casing === "upper" ? "toUpperCase" : "toLowerCase";
  return text.map((piece) => ("text" in piece ? { ...piece, text: piece.text[change]() } : piece));
}

/** Where `A+=(x)` puts x: behind the last index. */
export function nextIndex(variable: Variable | undefined): number {
  let last = -1;
  for (const index of variable?.items.keys() ?? []) last = Math.max(last, Number(index) || 0);
  return last + 1;
}

export const numberOf = (text: Text): number | null => {
  const word = plain(text);
  return word !== null && /^-?\d{1,15}$/.test(word.trim()) ? Number(word) : null;
};
