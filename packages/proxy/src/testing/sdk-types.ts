import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** The field of an interface as the SDK declares it. */
export interface SdkField {
  name: string;
  optional: boolean;
  type: string;
}

/**
 * The interfaces of an SDK's declarations, read as text: what a vendor's published types say of a request, field by field. Only the forms
 * that these files use are understood.
 */
export class SdkTypes {
  readonly #text: string;
  readonly #interfaces = new Map<string, SdkField[]>();
  readonly #aliases = new Map<string, string>();

  /** `modules`: paths of declaration files in node_modules; of equal names the first one counts. */
  constructor(modules: readonly string[]) {
    const { resolve } = createRequire(import.meta.url);
    const folder = (path: string) => resolve(`${path}.js`).replace(/\.js$/, ".d.ts");
    this.#text = modules.map((path) => readFileSync(folder(path), "utf8")).join("\n");
    this.#read();
  }

  fields(name: string): readonly SdkField[] {
    const found = this.#find(name, this.#interfaces);
    if (!found) throw new Error(`the SDK has no interface ${name}`);
    return found;
  }

  /** The interfaces of a union, unions in it taken apart. */
  members(union: string): string[] {
    const type = this.#find(union, this.#aliases);
    if (type === undefined) return this.#find(union, this.#interfaces) ? [union] : [];
    return splitUnion(type).flatMap((member) => this.members(member));
  }

  /** A value of an interface: all required fields, and the optional ones that `wants` names. */
  sample(
    name: string,
    wants: (field: SdkField, depth: number) => boolean,
    depth = 0,
  ): Record<string, unknown> {
    return Object.fromEntries(
      this.fields(name).flatMap((field) =>
        !field.optional || wants(field, depth)
          ? [[field.name, this.value(field.type, wants, depth)]]
          : [],
      ),
    );
  }

  /** A value of a type; of a union the first member that is not null. */
  value(
    type: string,
    wants: (field: SdkField, depth: number) => boolean = () => false,
    depth = 0,
  ): unknown {
    const [first = "", ...others] = splitUnion(type).filter((member) => member !== "null");
    const array = /^Array<(.*)>$/s.exec(first)?.[1];
    if (array !== undefined) return depth > 4 ? [] : [this.value(array, wants, depth + 1)];
    const literal = /^'(.*)'$/.exec(first)?.[1];
    if (literal !== undefined) return literal;
    if (first === "string" || first.startsWith("(string")) return "x";
    if (first === "number") return 1;
    if (first === "boolean" || first === "true") return true;
    if (first === "false") return false;
    const inline = /^\{(.*)\}$/s.exec(first)?.[1];
    if (inline !== undefined) return {};
    const alias = this.#find(first, this.#aliases);
    if (alias !== undefined) return depth > 9 ? {} : this.value(alias, wants, depth + 1);
    if (this.#find(first, this.#interfaces))
      return depth > 4 ? {} : this.sample(first, wants, depth + 1);
    return others.length > 0 ? this.value(others.join(" | "), wants, depth) : {};
  }

  #find<T>(name: string, among: ReadonlyMap<string, T>): T | undefined {
    const short = name.split(".").slice(-2).join(".");
    return among.get(short) ?? among.get(name.split(".").at(-1) ?? "");
  }

  #read(): void {
    const text = this.#text.replace(/\/\*[\s\S]*?\*\//g, "");
    let namespace = "";
    const lines = text.split("\n");
    for (let i = 0; i < lines.length; i++) {
      const line = lines[i] ?? "";
      namespace =
        /^export declare namespace (\w+)/.exec(line)?.[1] ??
        (line.startsWith("}") ? "" : namespace);
      const alias = /^\s*(?:export )?type (\w+) = (.*);$/.exec(line);
      if (alias?.[1] && alias[2]) this.#keep(this.#aliases, namespace, alias[1], alias[2]);
      const opened = /^(\s*)(?:export )?interface (\w+)(?: extends (.*?))? \{$/.exec(line);
      if (!opened?.[2]) continue;
      const indent = opened[1] ?? "";
      const fields: SdkField[] = [];
      for (i += 1; i < lines.length && lines[i] !== `${indent}}`; i++) {
        const field = new RegExp(`^${indent}    (\\w+)(\\?)?: (.*?);?$`).exec(lines[i] ?? "");
        if (field?.[1] && field[3])
          fields.push({ name: field[1], optional: field[2] === "?", type: field[3] });
      }
      const base = opened[3]
        ? (this.#find(opened[3].replace(/<.*/, ""), this.#interfaces) ?? [])
        : [];
      this.#keep(this.#interfaces, namespace, opened[2], [...base, ...fields]);
    }
  }

  #keep<T>(map: Map<string, T>, namespace: string, name: string, value: T): void {
    if (namespace !== "" && !map.has(`${namespace}.${name}`))
      map.set(`${namespace}.${name}`, value);
    if (!map.has(name)) map.set(name, value);
  }
}

/** The members of a union at its top level. */
function splitUnion(type: string): string[] {
  const members: string[] = [];
  let depth = 0;
  let member = "";
  for (const character of type) {
    if ("<{([".includes(character)) depth += 1;
    if (">})]".includes(character)) depth -= 1;
    if (character === "|" && depth === 0) {
      members.push(member.trim());
      member = "";
    } else member += character;
  }
  return [...members, member.trim()].filter((one) => one !== "");
}
