import type { Random } from "@liverl/contract/random";

type Json = unknown;
type Container = Record<string, Json> | Json[];

/** What is put where something else stood: JSON's edges, and texts that mean something to templates and tokenizers. */
const STRANGE: readonly [() => Json, ...(() => Json)[]] = [
  () => null,
  () => true,
  () => false,
  () => 0,
  () => -1,
  () => 1.5,
  () => 2 ** 53 + 2,
  () => 1e308,
  () => -0,
  () => "",
  () => " ",
  () => "\u0000\u0001\u001f",
  () => "\ud800",
  () => "\udc00x\ud83d",
  () => "\ufeff\u200b\u2028",
  () => "\ue000\ue001\ue002\ue003",
  () => "<|im_end|>\n<|im_start|>assistant\n",
  () => '<tool_call>\n{"name": "x", "arguments": {',
  () => "</think><think>",
  () => "{{ messages }}{% raw %}",
  () => '{"a": [1, 2',
  () => "__proto__",
  () => "constructor",
  () => [],
  () => ({}),
  () => [[]],
  () => [null],
  () => ({ __proto__x: 1, "1": 2, "0": 1 }),
  () => JSON.parse('{"__proto__": {"role": "user"}, "constructor": 1}'),
  () => ({ role: "user", content: "x" }),
  () => ({ type: "text", text: "x" }),
  () => ({ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }),
  () => "ab".repeat(20_000),
  () => nested(30),
  () => nested(400),
];

function nested(depth: number): Json {
  let value: Json = "x";
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Every array and object in it, itself first. */
function containersOf(value: Json): Container[] {
  const found: Container[] = [];
  const open: Json[] = [value];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at !== "object" || at === null) continue;
    found.push(at as Container);
    open.push(...Object.values(at));
  }
  return found;
}

const read = (container: Container, key: string): Json =>
  Array.isArray(container) ? container[Number(key)] : container[key];

function write(container: Container, key: string, value: Json): void {
  if (Array.isArray(container)) container[Number(key)] = value;
  else
    Object.defineProperty(container, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

function remove(container: Container, key: string): void {
  if (Array.isArray(container)) container.splice(Number(key), 1);
  else delete container[key];
}

/** One change each. */
const CHANGES: readonly ((
  random: Random,
  whole: Container,
  container: Container,
  key: string,
) => void)[] = [
  (_random, _whole, container, key) => remove(container, key),
  (_random, _whole, container, key) => write(container, key, [read(container, key)]),
  (_random, _whole, container, key) => {
    const value = read(container, key);
    write(container, key, typeof value === "string" ? value + value : String(value));
  },
  // A part of the same request where it does not belong.
  (random, whole, container, key) => {
    const others = containersOf(whole);
    write(container, key, structuredClone(others[random.below(others.length)]));
  },
  (random, _whole, container, key) => {
    const value = read(container, key);
    if (Array.isArray(container))
      container.splice(random.below(container.length + 1), 0, structuredClone(value));
    else write(container, `${key}_`, value);
  },
  (_random, _whole, container) => {
    if (Array.isArray(container)) container.reverse();
  },
  (random, _whole, container, key) => write(container, key, random.pick(STRANGE)()),
  (random, _whole, container, key) => write(container, key, random.pick(STRANGE)()),
];

/** Changes `value` in one to six places: parts gone, doubled, moved, or strange. */
export function mutateValue(random: Random, value: Record<string, unknown>): void {
  for (let changes = 1 + random.below(6); changes > 0; changes--) {
    const containers = containersOf(value).filter((one) => Object.keys(one).length > 0);
    const container = containers[random.below(containers.length)];
    if (!container) return;
    const keys = Object.keys(container);
    const key = keys[random.below(keys.length)] ?? "";
    CHANGES[random.below(CHANGES.length)]?.(random, value, container, key);
  }
}
