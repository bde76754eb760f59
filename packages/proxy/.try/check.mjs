// packages/proxy/.try/check.ts
import { readFileSync } from "node:fs";

// packages/contract/src/app-error.ts
import { z } from "zod";
var AppErrorCode = z.enum([
  "BAD_REQUEST",
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "NOT_FOUND",
  "CONFLICT",
  "TOO_LARGE",
  "TOO_MANY_REQUESTS",
  "UNAVAILABLE",
  "INTERNAL"
]);
var AppError = class extends Error {
  name = "AppError";
  code;
  userMessage;
  constructor(code, text) {
    super(text.message ?? text.userMessage, { cause: text.cause });
    this.code = code;
    this.userMessage = text.userMessage;
  }
};
var ErrorBody = z.object({
  error: z.object({ code: AppErrorCode, message: z.string() })
});

// packages/proxy/src/renderer/load-renderer.ts
import { Tokenizer as Tokenizer2 } from "tokenizers";

// packages/proxy/src/renderer/byte-level.ts
var BYTE_CHARACTERS = buildAlphabet();
function buildAlphabet() {
  const printable = (byte) => byte >= 33 && byte <= 126 || byte >= 161 && byte <= 172 || byte >= 174;
  let extra = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : extra++));
}
var ByteLevelDecoder = class {
  #bytes = [];
  /** `vocabulary`: ordinary tokens in byte characters; `added`: control tokens as plain text. */
  constructor(vocabulary, added) {
    const byteOf = new Map(BYTE_CHARACTERS.map((character, byte) => [character, byte]));
    for (const [token, id] of Object.entries(vocabulary)) {
      const bytes = [...token].map((character) => byteOf.get(character));
      this.#bytes[id] = bytes.every((byte) => byte !== void 0) ? Uint8Array.from(bytes) : Buffer.from(token, "utf8");
    }
    for (const [text, id] of added) this.#bytes[id] = Buffer.from(text, "utf8");
  }
  bytesOf(id) {
    return this.#bytes[id] ?? new Uint8Array();
  }
  decode(ids) {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(ids.map((id) => this.bytesOf(id))));
  }
  /** Text as it becomes certain: bytes of an unfinished character are held back until it is complete. */
  stream() {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return {
      push: (id) => decoder.decode(this.bytesOf(id), { stream: true }),
      end: () => decoder.decode()
    };
  }
};

// packages/proxy/src/renderer/chat-template.ts
import { Template } from "@huggingface/jinja";

// packages/proxy/src/renderer/marks.ts
var FIRST = 57344;
var LAST = 63743;
var ANY = /[\ue000-\uf8ff]/;
var DEFAULT = { breaker: "\uE000", open: "\uE001", close: "\uE002", anchor: "\uE003" };
function chooseMarks(text) {
  if (!ANY.test(text)) return DEFAULT;
  const taken = new Set(text);
  const free = [];
  for (let code = FIRST; code <= LAST && free.length < 4; code++) {
    const mark = String.fromCharCode(code);
    if (!taken.has(mark)) free.push(mark);
  }
  const [breaker, open2, close, anchor] = free;
  if (!breaker || !open2 || !close || !anchor) {
    throw new AppError("BAD_REQUEST", { userMessage: "The messages use every private-use character; leave four of them free." });
  }
  return { breaker, open: open2, close, anchor };
}
function resolveNumbers(rendered, { open: open2, close }) {
  if (!rendered.includes(open2)) return rendered;
  const marked = new RegExp(`"${open2}([^${close}]*)${close}"|${open2}([^${close}]*)${close}`, "g");
  return rendered.replace(marked, (_, quoted, plain) => quoted ?? plain ?? "");
}

// packages/proxy/src/json/parse-lossless.ts
var MAX_DEPTH = 200;
var NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
var SPACE = /[ \t\n\r]*/y;
var STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
var LITERALS = [
  ["true", true],
  ["false", false],
  ["null", null]
];
function parseLossless(text) {
  const value = parseLosslessAt(text, 0);
  if (skipSpace(text, value.end) !== text.length) throw new SyntaxError(`unexpected text at ${value.end}`);
  return value;
}
function parseLosslessAt(text, at) {
  return parseValue(text, skipSpace(text, at), 0);
}
function skipSpace(text, at) {
  SPACE.lastIndex = at;
  SPACE.exec(text);
  return SPACE.lastIndex;
}
function parseValue(text, start, depth) {
  if (depth > MAX_DEPTH) throw new SyntaxError("nested too deep");
  const first = text[start];
  if (first === "{") return parseObject(text, start, depth);
  if (first === "[") return parseArray(text, start, depth);
  if (first === '"') return parseString(text, start);
  for (const [word, value] of LITERALS) {
    if (text.startsWith(word, start)) return { kind: "literal", value, start, end: start + word.length };
  }
  NUMBER.lastIndex = start;
  const number = NUMBER.exec(text)?.[0];
  if (number === void 0) throw new SyntaxError(`no JSON value at ${start}`);
  return { kind: "number", text: number, start, end: start + number.length };
}
function parseString(text, start) {
  STRING.lastIndex = start;
  const source = STRING.exec(text)?.[0];
  if (source === void 0) throw new SyntaxError(`unsound string at ${start}`);
  const value = source.includes("\\") ? JSON.parse(source) : source.slice(1, -1);
  return { kind: "string", value: String(value), start, end: start + source.length };
}
function parseObject(text, start, depth) {
  const entries = [];
  let at = skipSpace(text, start + 1);
  if (text[at] === "}") return { kind: "object", entries, start, end: at + 1 };
  for (; ; ) {
    if (text[at] !== '"') throw new SyntaxError(`no key at ${at}`);
    const key = parseString(text, at);
    at = skipSpace(text, key.end);
    if (text[at] !== ":") throw new SyntaxError(`no colon at ${at}`);
    const value = parseValue(text, skipSpace(text, at + 1), depth + 1);
    entries.push([key.value, value]);
    at = skipSpace(text, value.end);
    if (text[at] === "}") return { kind: "object", entries, start, end: at + 1 };
    if (text[at] !== ",") throw new SyntaxError(`no comma at ${at}`);
    at = skipSpace(text, at + 1);
  }
}
function parseArray(text, start, depth) {
  const elements = [];
  let at = skipSpace(text, start + 1);
  if (text[at] === "]") return { kind: "array", elements, start, end: at + 1 };
  for (; ; ) {
    const value = parseValue(text, at, depth + 1);
    elements.push(value);
    at = skipSpace(text, value.end);
    if (text[at] === "]") return { kind: "array", elements, start, end: at + 1 };
    if (text[at] !== ",") throw new SyntaxError(`no comma at ${at}`);
    at = skipSpace(text, at + 1);
  }
}

// packages/proxy/src/renderer/template-values.ts
var INTEGER_LIKE = /^(?:0|[1-9]\d*)$/;
var TemplateValues = class {
  #control;
  #marks;
  constructor(control, marks) {
    this.#control = control;
    this.#marks = marks;
  }
  message(message) {
    const prepared = this.#loose(message);
    if (prepared.content === null || prepared.content === void 0) prepared.content = "";
    if (Array.isArray(message.tool_calls)) prepared.tool_calls = message.tool_calls.map((call2) => this.#toolCall(call2));
    return prepared;
  }
  /** Templates print arguments as an object, the protocol carries them as text. Text that is no JSON stays text. */
  #toolCall(call2) {
    const prepared = this.#loose(call2);
    const given = call2?.function?.arguments;
    if (prepared.function === void 0 || typeof given !== "string") return prepared;
    return { ...prepared, function: { ...prepared.function, arguments: this.#parsedArguments(given) } };
  }
  #parsedArguments(text) {
    try {
      return this.lossless(parseLossless(text.trim() === "" ? "{}" : text));
    } catch (error) {
      if (error instanceof SyntaxError) return this.#text(text);
      throw error;
    }
  }
  lossless(value) {
    switch (value.kind) {
      case "object":
        return Object.fromEntries(value.entries.map(([key, inner]) => [this.#key(key), this.lossless(inner)]));
      case "array":
        return value.elements.map((element) => this.lossless(element));
      case "string":
        return this.#control.breakInside(value.value, this.#marks.breaker);
      case "number":
        return String(Number(value.text)) === value.text ? Number(value.text) : this.#marks.open + value.text + this.#marks.close;
      case "literal":
        return value.value;
    }
  }
  #loose(value) {
    if (typeof value === "string") return this.#text(value);
    if (Array.isArray(value)) return value.map((element) => this.#loose(element));
    if (value !== null && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [this.#key(key), this.#loose(inner)]));
    }
    return value;
  }
  #text(text) {
    return this.#control.protect(text, this.#marks.breaker);
  }
  #key(key) {
    return INTEGER_LIKE.test(key) ? this.#marks.breaker + key : this.#control.breakInside(key, this.#marks.breaker);
  }
};

// packages/proxy/src/renderer/chat-template.ts
var ChatTemplate = class {
  #template;
  #control;
  #tokens;
  constructor(source, control, tokens) {
    this.#template = new Template(source);
    this.#control = control;
    this.#tokens = tokens;
  }
  /** The whole conversation. Throws BAD_REQUEST when the template refuses it. */
  render(messages, tools2, generationPrompt) {
    return this.#run(messages, tools2, generationPrompt, () => []);
  }
  /**
   * The conversation after a stand-in for everything before: a user turn and an assistant turn whose
   * content is the anchor mark. What a held prefix is followed by is what stands behind the anchor.
   */
  renderAfterAnchor(messages, tools2) {
    return this.#run(messages, tools2, true, ({ anchor }) => [
      { role: "user", content: "?" },
      messages[0]?.role === "tool" ? { role: "assistant", content: anchor, tool_calls: [{ id: "anchor000", type: "function", function: { name: anchor, arguments: {} } }] } : { role: "assistant", content: anchor }
    ]);
  }
  #run(messages, tools2, generationPrompt, before) {
    const marks = chooseMarks(JSON.stringify(messages) + (tools2 ? JSON.stringify(tools2.value) : ""));
    const values = new TemplateValues(this.#control, marks);
    try {
      const text = this.#template.render({
        ...this.#tokens,
        messages: [...before(marks), ...messages.map((message) => values.message(message))],
        tools: tools2 === null ? null : values.lossless(tools2.value),
        add_generation_prompt: generationPrompt
      });
      return { text: resolveNumbers(text, marks), marks };
    } catch (error) {
      if (error instanceof AppError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new AppError("BAD_REQUEST", { userMessage: `The model's chat template refuses these messages: ${why}`, cause: error });
    }
  }
};

// packages/proxy/src/renderer/control-tokens.ts
var escapeRegExp = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
var ControlTokens = class {
  byText;
  #any;
  /** Beginnings and ends of control texts: content that ends in one could complete it with what the template puts next. */
  #heads = /* @__PURE__ */ new Set();
  #tails = /* @__PURE__ */ new Set();
  #longest;
  constructor(tokens) {
    const texts = tokens.map((token) => token.content).sort((a, b) => b.length - a.length);
    this.byText = new Map(tokens.map((token) => [token.content, token.id]));
    this.#any = texts.length === 0 ? /(?!)/g : new RegExp(texts.map(escapeRegExp).join("|"), "g");
    this.#longest = texts[0]?.length ?? 0;
    for (const text of texts) {
      for (let n2 = 1; n2 < text.length; n2++) {
        this.#heads.add(text.slice(0, n2));
        this.#tails.add(text.slice(n2));
      }
    }
  }
  /** Pieces of text in order: plain ones as strings, control tokens as ids. */
  split(text) {
    const pieces = [];
    let at = 0;
    for (const match of text.matchAll(this.#any)) {
      if (match.index > at) pieces.push(text.slice(at, match.index));
      pieces.push(this.byText.get(match[0]) ?? match[0]);
      at = match.index + match[0].length;
    }
    if (at < text.length) pieces.push(text.slice(at));
    return pieces;
  }
  /** The same text to a reader, with breakers inside every control token's text. */
  breakInside(text, breaker) {
    return text.replace(this.#any, (match) => [...match].join(breaker));
  }
  /** As {@link breakInside}, and with breakers at the edges where the text could begin or end a control token with its surroundings. */
  protect(text, breaker) {
    const broken = this.breakInside(text, breaker);
    const inner = broken.trim();
    const head = [broken, inner].some((side) => this.#startsInside(side)) ? breaker : "";
    const tail = [broken, inner].some((side) => this.#endsInside(side)) ? breaker : "";
    if (head === "" && tail === "") return broken;
    const start = broken.length - broken.trimStart().length;
    return broken.slice(0, start) + head + inner + tail + broken.slice(start + inner.length);
  }
  #startsInside(text) {
    for (let n2 = Math.min(text.length, this.#longest - 1); n2 > 0; n2--) if (this.#tails.has(text.slice(0, n2))) return true;
    return false;
  }
  #endsInside(text) {
    for (let n2 = Math.min(text.length, this.#longest - 1); n2 > 0; n2--) if (this.#heads.has(text.slice(-n2))) return true;
    return false;
  }
};

// packages/proxy/src/renderer/model-folder.ts
import { createHash } from "node:crypto";
import { readFile as readFile2 } from "node:fs/promises";
import { join } from "node:path";

// packages/durable/src/atomic-file.ts
import { randomBytes } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
function isMissing(error) {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

// packages/proxy/src/renderer/model-folder.ts
import { z as z2 } from "zod";
var TokenText = z2.union([z2.string(), z2.looseObject({ content: z2.string() })]).nullish();
var TokenizerConfig = z2.looseObject({
  bos_token: TokenText,
  eos_token: TokenText,
  chat_template: z2.union([z2.string(), z2.array(z2.looseObject({ name: z2.string(), template: z2.string() }))]).nullish()
});
var ModelConfig = z2.looseObject({
  model_type: z2.string().nullish(),
  eos_token_id: z2.union([z2.number(), z2.array(z2.number())]).nullish()
});
var AddedToken = z2.looseObject({
  id: z2.number().int(),
  content: z2.string(),
  special: z2.boolean().default(false),
  lstrip: z2.boolean().default(false),
  rstrip: z2.boolean().default(false),
  single_word: z2.boolean().default(false)
});
var TokenizerFile = z2.looseObject({ added_tokens: z2.array(AddedToken).default([]) });
var sha256 = (text) => createHash("sha256").update(text).digest("hex");
var textOf = (token) => typeof token === "string" ? token : token?.content ?? null;
async function readText(path) {
  try {
    return await readFile2(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
async function readModelFolder(directory) {
  const [tokenizerText, configText, templateText, modelText, generationText] = await Promise.all(
    ["tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "config.json", "generation_config.json"].map(
      (name) => readText(join(directory, name))
    )
  );
  if (tokenizerText == null) throw refusal(directory, "it has no tokenizer.json");
  const tokenizer = TokenizerFile.parse(JSON.parse(tokenizerText));
  const config = TokenizerConfig.parse(JSON.parse(configText ?? "{}"));
  const template = templateText ?? templateOf(config.chat_template);
  if (template === null) throw refusal(directory, "it has no chat template");
  const eosIds = [modelText, generationText].flatMap((text) => ModelConfig.parse(JSON.parse(text ?? "{}")).eos_token_id ?? []);
  const eosToken = textOf(config.eos_token);
  const eosOfConfig = tokenizer.added_tokens.find((token) => token.content === eosToken)?.id;
  return {
    tokenizerText,
    bareTokenizerText: JSON.stringify({ ...tokenizer, added_tokens: [], post_processor: null, truncation: null, padding: null }),
    addedTokens: tokenizer.added_tokens,
    template,
    bosToken: textOf(config.bos_token),
    eosToken,
    eosIds: [...new Set(eosOfConfig === void 0 ? eosIds : [...eosIds, eosOfConfig])],
    tokenizerSha256: sha256(tokenizerText),
    chatTemplateSha256: sha256(template)
  };
}
function templateOf(given) {
  if (!Array.isArray(given)) return given ?? null;
  return given.find((named) => named.name === "default")?.template ?? null;
}
function refusal(directory, why) {
  return new AppError("BAD_REQUEST", { userMessage: `The model folder ${directory} can not be served: ${why}.` });
}

// packages/proxy/src/renderer/lru.ts
var Lru = class {
  #entries = /* @__PURE__ */ new Map();
  #maxEntries;
  constructor(maxEntries) {
    this.#maxEntries = maxEntries;
  }
  get(key) {
    const value = this.#entries.get(key);
    if (value === void 0) return void 0;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }
  set(key, value) {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#maxEntries) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
};

// packages/proxy/src/renderer/tool-calls.ts
var OPEN = "<tool_call>";
var CLOSE = "</tool_call>";
function parseToolCalls(text) {
  const toolCalls = [];
  const kept = [];
  let status = "ok";
  let at = 0;
  for (; ; ) {
    const open2 = text.indexOf(OPEN, at);
    if (open2 < 0) break;
    kept.push(text.slice(at, open2));
    const call2 = parseBlock(text, open2 + OPEN.length);
    if (call2) {
      toolCalls.push({ name: call2.name, arguments: call2.arguments });
      at = call2.end;
      continue;
    }
    const close = text.indexOf(CLOSE, open2);
    status = close < 0 ? "unclosed" : "malformed";
    at = close < 0 ? text.length : close + CLOSE.length;
    kept.push(text.slice(open2, at));
  }
  kept.push(text.slice(at));
  const content = kept.join("");
  return { content: toolCalls.length > 0 ? content.trim() : content, toolCalls, status };
}
function parseBlock(text, start) {
  let value;
  try {
    value = parseLosslessAt(text, start);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const end = skipSpace(text, value.end);
  if (value.kind !== "object" || !text.startsWith(CLOSE, end)) return null;
  const fields = new Map(value.entries);
  const name = fields.get("name");
  const given = fields.get("arguments");
  if (name?.kind !== "string" || name.value === "") return null;
  if (given !== void 0 && given.kind !== "object") return null;
  return { name: name.value, arguments: given ? text.slice(given.start, given.end) : "{}", end: end + CLOSE.length };
}

// packages/proxy/src/renderer/renderer.ts
var CACHED_RENDERS = 4096;
var LONGEST_CACHED_KEY = 65536;
var Renderer = class {
  #parts;
  #cache = new Lru(CACHED_RENDERS);
  constructor(parts) {
    this.#parts = parts;
  }
  get stopIds() {
    return this.#parts.stopIds;
  }
  get closeId() {
    return this.#parts.close.id;
  }
  /** As `proxy_trajectory.json` names the model, without its name. */
  get identity() {
    const { family, tokenizerSha256, chatTemplateSha256 } = this.#parts;
    return { family, tokenizerSha256, chatTemplateSha256 };
  }
  /** Ids of a conversation from its start, with the generation prompt. */
  renderRoot(messages, tools2) {
    return this.#cached(["root", messages, tools2?.text], () => {
      const { text, marks } = this.#parts.template.render(messages, tools2, true);
      return this.#parts.encoder.encode(text, marks.breaker);
    });
  }
  /**
   * Ids that follow a held assistant turn: the rest of its close, the new messages and the generation prompt.
   * `closed`: the held turn ends in the close token; otherwise the token is put in front.
   */
  renderSuffix(messages, tools2, closed) {
    return this.#cached(["suffix", closed, messages, tools2?.text], () => {
      const { text, marks } = this.suffixText(messages, tools2);
      return this.#parts.encoder.encode(closed ? text.slice(this.#parts.close.text.length) : text, marks.breaker);
    });
  }
  /** What the template writes after a turn's content, from its close token on. */
  suffixText(messages, tools2) {
    const { text, marks } = this.#parts.template.renderAfterAnchor(messages, tools2);
    const close = text.indexOf(this.#parts.close.text, text.lastIndexOf(marks.anchor));
    if (close < 0) throw new Error("the template does not close an assistant turn");
    return { text: text.slice(close), marks };
  }
  /** What a sampled turn says: its stop token gone, tool calls parsed if the call had tools. */
  readTurn(ids, hasTools) {
    return this.readText(this.visibleText(ids), hasTools);
  }
  readText(text, hasTools) {
    return hasTools ? parseToolCalls(text) : { content: text, toolCalls: [], status: "ok" };
  }
  visibleText(ids) {
    return this.#parts.decoder.decode(ids.filter((id) => !this.#parts.hiddenIds.has(id)));
  }
  /** Text of a growing turn, a character never before all of its bytes are there. */
  streamText() {
    const stream = this.#parts.decoder.stream();
    return { push: (id) => this.#parts.hiddenIds.has(id) ? "" : stream.push(id), end: () => stream.end() };
  }
  /** Every id as text, control tokens too. */
  decode(ids) {
    return this.#parts.decoder.decode(ids);
  }
  async #cached(keyed, render) {
    const key = JSON.stringify(keyed);
    if (key.length > LONGEST_CACHED_KEY) return render();
    const held = this.#cache.get(key);
    if (held) return held;
    const ids = await render();
    this.#cache.set(key, ids);
    return ids;
  }
};

// packages/proxy/src/renderer/reference-conversations.ts
var call = (name, args, id) => ({ id, type: "function", function: { name, arguments: args } });
var REFERENCE_TOOLS = `[{"type": "function", "function": {"name": "edit", "description": "Replace one line.", "parameters": {"type": "object", "properties": {"line": {"type": "integer", "minimum": 1.0}, "1": {"type": "string"}}, "required": ["line"]}}}, {"type": "function", "function": {"name": "test", "description": "Run <b>all</b> tests & report.", "parameters": {"type": "object", "properties": {}}}}]`;
var REFERENCE_CONVERSATIONS = [
  {
    name: "system and several turns",
    tools: false,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello." },
      { role: "user", content: "  two\n\n lines \n" },
      { role: "assistant", content: "1\n2" },
      { role: "user", content: "Thanks" }
    ]
  },
  {
    name: "no system, unicode",
    tools: false,
    messages: [
      { role: "user", content: "Gr\xFC\xDFe \u4F60\u597D \u{1F469}\u200D\u{1F4BB} \0\u2028" },
      { role: "assistant", content: "\xE9 \u2014 \u2713 \u{1F642}" },
      { role: "user", content: "ok" }
    ]
  },
  {
    name: "tool calls and results",
    tools: true,
    messages: [
      { role: "system", content: "Fix the bug." },
      { role: "user", content: "src/a.js\n1 function f(a, b) {\n2   return a - b\n3 }" },
      { role: "assistant", content: "", tool_calls: [call("test", "{}", "c1")] },
      { role: "tool", tool_call_id: "c1", content: "FAIL line 2" },
      { role: "assistant", content: "I see.", tool_calls: [call("edit", '{"line": 2, "code": "  return a + b", "big": 9007199254740993, "small": 1e-07}', "c2")] },
      { role: "tool", tool_call_id: "c2", content: "ok" },
      { role: "assistant", content: "Done." },
      { role: "user", content: "Sure?" }
    ]
  },
  {
    name: "parallel tool results",
    tools: true,
    messages: [
      { role: "user", content: "both" },
      { role: "assistant", content: "", tool_calls: [call("test", "{}", "c1"), call("edit", '{"line": 1.0}', "c2")] },
      { role: "tool", tool_call_id: "c2", content: "second" },
      { role: "tool", tool_call_id: "c1", content: "first" },
      { role: "user", content: "go on" }
    ]
  }
];

// packages/proxy/src/renderer/self-check.ts
async function checkRenderer(subject) {
  for (const reference of REFERENCE_CONVERSATIONS) {
    const tools2 = reference.tools ? parseTools(REFERENCE_TOOLS) : null;
    if (tools2 && !subject.folder.template.includes("tools")) continue;
    await checkConversation(subject, reference.name, reference.messages, tools2);
  }
  await checkForgery(subject);
}
function parseTools(text) {
  const value = parseLossless(text);
  if (value.kind !== "array") throw new SyntaxError("tools must be an array");
  return { text, value };
}
async function checkConversation(subject, name, messages, tools2) {
  const { renderer, template, tokenizer } = subject;
  const { text: whole, marks } = template.render(messages, tools2, true);
  const plain = whole.replaceAll(marks.breaker, "");
  const expected = (await tokenizer.encode(plain, null, { addSpecialTokens: false })).getIds();
  const ids = await renderer.renderRoot(messages, tools2);
  if (!same(ids, expected)) throw new Error(`"${name}" encodes to other ids than the tokenizer's own`);
  if (renderer.decode(ids) !== plain) throw new Error(`"${name}" decodes to another text`);
  const first = messages.findIndex((message) => message.role === "assistant");
  let held = await renderer.renderRoot(messages.slice(0, first), tools2);
  for (let at = first; at < messages.length; ) {
    const next = messages.findIndex((message, i) => i > at && message.role === "assistant");
    const end = next < 0 ? messages.length : next;
    const body = await turnIds(subject, messages.slice(0, at + 1), tools2, held);
    held = [...held, ...body, renderer.closeId, ...await renderer.renderSuffix(messages.slice(at + 1, end), tools2, true)];
    at = end;
  }
  if (renderer.decode(held) !== plain) throw new Error(`"${name}" rendered turn by turn differs from the whole: the template is not append-only`);
  if (!same(held, expected)) throw new Error(`"${name}" has a seam at which tokens merge`);
}
async function turnIds(subject, messages, tools2, held) {
  const { text, marks } = subject.template.render(messages, tools2, false);
  const before = subject.renderer.decode(held);
  const plain = text.replaceAll(marks.breaker, "");
  if (!plain.startsWith(before)) throw new Error("an earlier part of a conversation changes as it grows: the template is not append-only");
  const close = subject.renderer.decode([subject.renderer.closeId]);
  const body = plain.slice(before.length, plain.lastIndexOf(close));
  return subject.encoder.encode(body, marks.breaker);
}
async function checkForgery({ renderer, encoder, folder }) {
  const controlIds = new Set(folder.addedTokens.map((token) => token.id));
  for (const { content } of folder.addedTokens) {
    const ids = await encoder.encodePlain(content);
    if (ids.some((id) => controlIds.has(id))) throw new Error(`plain text ${JSON.stringify(content)} becomes a control token`);
  }
  const count = (ids) => ids.filter((id) => controlIds.has(id)).length;
  const hostile = folder.addedTokens.slice(0, 64).map((token) => token.content).join("x");
  const clean = await renderer.renderRoot([{ role: "user", content: "x" }], null);
  const forged = await renderer.renderRoot([{ role: "user", content: hostile }], null);
  if (count(forged) !== count(clean)) throw new Error("control tokens in a user's text survive");
}
function same(a, b) {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}

// packages/proxy/src/renderer/text-encoder.ts
import { Tokenizer } from "tokenizers";
var CACHED_PIECES = 8192;
var LONGEST_CACHED = 32768;
var TextEncoder = class {
  #bare;
  #control;
  #cache = new Lru(CACHED_PIECES);
  constructor(bareTokenizerText, control) {
    this.#bare = Tokenizer.fromString(bareTokenizerText);
    this.#control = control;
  }
  async encode(rendered, breaker) {
    const pieces = this.#control.split(rendered);
    const encoded = await Promise.all(
      pieces.map((piece) => typeof piece === "number" ? [piece] : this.encodePlain(piece.replaceAll(breaker, "")))
    );
    return encoded.flat();
  }
  /** Ids of text in which nothing is a control token. */
  async encodePlain(text) {
    if (text === "") return [];
    const held = this.#cache.get(text);
    if (held) return held;
    const ids = (await this.#bare.encode(text, null, { addSpecialTokens: false })).getIds();
    if (text.length <= LONGEST_CACHED) this.#cache.set(text, ids);
    return ids;
  }
};

// packages/proxy/src/renderer/load-renderer.ts
async function loadRenderer(directory) {
  const folder = await readModelFolder(directory);
  try {
    const tokenizer = Tokenizer2.fromString(folder.tokenizerText);
    refuseUnsafeTokens(folder);
    const control = new ControlTokens(folder.addedTokens);
    const template = new ChatTemplate(folder.template, control, { bos_token: folder.bosToken, eos_token: folder.eosToken });
    const encoder = new TextEncoder(folder.bareTokenizerText, control);
    const close = closeOf(template, control);
    const hidden = folder.addedTokens.filter((token) => token.special && !token.content.includes("tool_call"));
    const renderer = new Renderer({
      template,
      encoder,
      decoder: decoderOf(folder, tokenizer),
      close,
      stopIds: [.../* @__PURE__ */ new Set([close.id, ...folder.eosIds])],
      hiddenIds: /* @__PURE__ */ new Set([close.id, ...folder.eosIds, ...hidden.map((token) => token.id)]),
      family: folder.template.includes("<tool_call>") ? "chatml-hermes" : "plain",
      tokenizerSha256: folder.tokenizerSha256,
      chatTemplateSha256: folder.chatTemplateSha256
    });
    await checkRenderer({ renderer, template, encoder, tokenizer, folder });
    return renderer;
  } catch (error) {
    if (error instanceof AppError && error.code !== "BAD_REQUEST") throw error;
    const why = error instanceof AppError ? error.userMessage : error instanceof Error ? error.message : String(error);
    throw refusal(directory, why);
  }
}
function refuseUnsafeTokens({ addedTokens }) {
  for (const { content, lstrip, rstrip, single_word } of addedTokens) {
    const shown = JSON.stringify(content);
    if (lstrip || rstrip || single_word) throw new Error(`added token ${shown} eats or needs white space around it`);
    if ([...content].length < 2) throw new Error(`added token ${shown} is a single character, so content can not avoid it`);
    if (content.trim() === "") throw new Error(`added token ${shown} is white space`);
  }
}
function closeOf(template, control) {
  const { text, marks } = template.render(
    [
      { role: "user", content: "?" },
      { role: "assistant", content: "anchor" }
    ],
    null,
    false
  );
  const after = text.slice(text.lastIndexOf("anchor") + "anchor".length).replaceAll(marks.breaker, "");
  const [first] = control.split(after);
  const found = [...control.byText].find(([, id]) => id === first);
  if (!found) throw new Error("its template does not close an assistant turn with a control token");
  return { text: found[0], id: found[1] };
}
function decoderOf(folder, tokenizer) {
  const { decoder } = JSON.parse(folder.tokenizerText);
  if (decoder?.type !== "ByteLevel") throw new Error(`its tokenizer decodes by ${decoder?.type ?? "nothing"}; only byte-level ones are known`);
  return new ByteLevelDecoder(tokenizer.getVocab(false), new Map(folder.addedTokens.map((token) => [token.content, token.id])));
}

// packages/embedded/src/chat/chat-encoder.ts
import { Template as Template2 } from "@huggingface/jinja";
import { Tokenizer as Tokenizer3 } from "tokenizers";
var MARK = "\uE000";
var KNOWN_PIECES = 4096;
var ChatEncoder = class {
  #template;
  #scaffold;
  #content;
  /** Pieces come back again and again: the native call costs more than the look-up. */
  #known = /* @__PURE__ */ new Map();
  constructor({ tokenizerText, chatTemplate }) {
    this.#template = new Template2(chatTemplate);
    this.#scaffold = Tokenizer3.fromString(tokenizerText);
    this.#content = Tokenizer3.fromString(JSON.stringify({ ...JSON.parse(tokenizerText), added_tokens: [] }));
  }
  /** Ids of each part, in order: given content alternates with scaffold. */
  async encode(messages, tools2, addGenerationPrompt) {
    const contents = [];
    const marked = messages.map((message) => {
      if (message.role === "assistant") return message;
      contents.push(message.content);
      return { ...message, content: MARK };
    });
    const text = this.#template.render({ messages: marked, tools: [...tools2], add_generation_prompt: addGenerationPrompt });
    const ids = [];
    for (const [i, piece] of text.split(MARK).entries()) {
      ids.push(...await this.encodeScaffold(piece));
      const content = contents[i];
      if (content !== void 0) ids.push(...await this.encodeContent(content));
    }
    return ids;
  }
  async encodeScaffold(text) {
    return this.#remember(this.#scaffold, "s", text);
  }
  async encodeContent(text) {
    return this.#remember(this.#content, "c", text);
  }
  /** What the template writes after an assistant turn for a tool's answer and the next turn of the assistant. */
  async encodeToolAnswer(text) {
    return [
      ...await this.encodeScaffold("\n<|im_start|>tool\n"),
      ...await this.encodeContent(text),
      ...await this.encodeScaffold("<|im_end|>\n<|im_start|>assistant\n")
    ];
  }
  /** What the assistant samples for a call, the end of its turn included. */
  async encodeCall(name, args) {
    return this.encodeScaffold(`${toolCallText(name, args)}<|im_end|>`);
  }
  async decode(ids) {
    return this.#scaffold.decode(ids, false);
  }
  async #remember(tokenizer, kind, text) {
    if (text === "") return [];
    const key = kind + text;
    let ids = this.#known.get(key);
    if (!ids) {
      ids = (await tokenizer.encode(text, null, { addSpecialTokens: false })).getIds();
      if (this.#known.size < KNOWN_PIECES) this.#known.set(key, ids);
    }
    return ids;
  }
};
function toolCallText(name, args) {
  const pairs = Object.entries(args).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return `<tool_call>
{"name": ${JSON.stringify(name)}, "arguments": {${pairs.join(", ")}}}
</tool_call>`;
}

// packages/contract/src/random.ts
var Random = class {
  #state;
  constructor(seed) {
    this.#state = seed >>> 0;
  }
  get state() {
    return this.#state;
  }
  next() {
    this.#state = this.#state + 1831565813 | 0;
    let t = Math.imul(this.#state ^ this.#state >>> 15, 1 | this.#state);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 4294967296;
  }
  /** Integer in [0, n). */
  below(n2) {
    return Math.floor(this.next() * n2);
  }
  pick(list) {
    return list[this.below(list.length)] ?? list[0];
  }
};
function hash32(text) {
  let h = 2166136261;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  h ^= h >>> 15;
  return h >>> 0;
}

// packages/contract/src/repair-task.ts
var REPAIR_PREFIX = "repair/";
var INTENTS = {
  add: { words: ["sum of X and Y", "X plus Y"], expression: "X + Y", reference: (x, y) => x + y },
  sub: { words: ["X minus Y", "difference of X and Y"], expression: "X - Y", reference: (x, y) => x - y },
  mul: { words: ["product of X and Y", "X times Y"], expression: "X * Y", reference: (x, y) => x * y },
  mod: { words: ["remainder of X by Y", "X modulo Y"], expression: "X % Y", reference: (x, y) => x % y },
  max: { words: ["larger of X and Y", "maximum of X and Y"], expression: "Math.max(X, Y)", reference: (x, y) => Math.max(x, y) },
  min: { words: ["smaller of X and Y", "minimum of X and Y"], expression: "Math.min(X, Y)", reference: (x, y) => Math.min(x, y) },
  gte: { words: ["whether X is at least Y", "if X reaches Y"], expression: "X >= Y", reference: (x, y) => x >= y },
  lt: { words: ["whether X is below Y", "if X is under Y"], expression: "X < Y", reference: (x, y) => x < y }
};
var INTENT_NAMES = Object.keys(INTENTS);
var NAMES = ["total", "gap", "area", "price", "score", "rank", "limit", "cost", "level", "merge", "shift", "bound", "delta", "fee", "ratio", "check"];
var FILES = ["cart.js", "math.js", "util.js", "stats.js", "core.js", "shop.js"];
var FUNCTIONS = 2;
var LINES_PER_FUNCTION = 3;
var spell = (pattern) => pattern.replaceAll("X", "a").replaceAll("Y", "b");
function bodyOf(intent) {
  return `return ${spell(INTENTS[intent].expression)}`;
}
function repairTask(seed) {
  const random = new Random(seed);
  const names = /* @__PURE__ */ new Set();
  while (names.size < FUNCTIONS) names.add(random.pick(NAMES));
  const functions = [...names].map((name) => {
    const intent = random.pick(INTENT_NAMES);
    const words = INTENTS[intent].words;
    return { name, intent, words: spell(random.pick(words)) };
  });
  const brokenFunction = random.below(FUNCTIONS);
  const broken = functions[brokenFunction];
  if (!broken) throw new Error("a task has at least one function");
  const others = INTENT_NAMES.filter((name) => name !== broken.intent);
  const wrongIntent = others[random.below(others.length)] ?? "add";
  const lines = functions.flatMap((fn, i) => [
    `function ${fn.name}(a, b) {`,
    `  ${bodyOf(i === brokenFunction ? wrongIntent : fn.intent)}`,
    "}"
  ]);
  return {
    ref: `${REPAIR_PREFIX}${seed}`,
    seed,
    path: `src/${random.pick(FILES)}`,
    functions,
    brokenFunction,
    wrongIntent,
    lines,
    // The split is by what has to be learnt together (name and wording), so a held-out pair never occurs in training.
    heldOut: hash32(`${broken.name}|${broken.words}`) % 5 === 0
  };
}
function failureMessage(task, functionIndex) {
  const fn = task.functions[functionIndex];
  return `FAIL line ${functionIndex * LINES_PER_FUNCTION + 2}: ${fn?.name} should be ${fn?.words}`;
}
var REPAIR_SYSTEM_PROMPT = "Fix the bug.";
function instructionOf(task) {
  const numbered = task.lines.map((line, i) => `${i + 1} ${line}`).join("\n");
  return `${task.path}
${numbered}
${failureMessage(task, task.brokenFunction)}`;
}
var REPAIR_TOOLS = [
  { type: "function", function: { name: "test", description: "Run the tests.", parameters: { type: "object", properties: {} } } },
  {
    type: "function",
    function: {
      name: "edit",
      description: "Replace one line.",
      parameters: {
        type: "object",
        properties: { line: { type: "integer" }, code: { type: "string" } },
        required: ["line", "code"]
      }
    }
  },
  { type: "function", function: { name: "submit", description: "Finish.", parameters: { type: "object", properties: {} } } }
];

// packages/proxy/.try/check.ts
var dir = "/tmp/proxy/model";
var r = await loadRenderer(dir);
var e = new ChatEncoder({ tokenizerText: readFileSync(dir + "/tokenizer.json", "utf8"), chatTemplate: readFileSync(dir + "/chat_template.jinja", "utf8") });
var tools = parseTools(JSON.stringify(REPAIR_TOOLS));
var bad = 0;
var n = 0;
var t0 = process.cpuUsage();
for (let s = 0; s < 200; s++) {
  const task = repairTask(s);
  const messages = [{ role: "system", content: REPAIR_SYSTEM_PROMPT }, { role: "user", content: instructionOf(task) }];
  const a = await r.renderRoot(messages, tools);
  const b = await e.encode(messages, REPAIR_TOOLS, true);
  if (a.join() !== b.join()) {
    bad++;
    if (bad < 3) console.log(a.map((x) => r.decode([x])), b.map((x) => r.decode([x])));
  }
  for (const text of ["ok", "PASS", "ERROR bad call", failureMessage(task, 0)]) {
    n++;
    const c = await r.renderSuffix([{ role: "tool", tool_call_id: "c", content: text }], tools, true);
    const d = await e.encodeToolAnswer(text);
    if (c.join() !== d.join()) {
      bad++;
      if (bad < 3) console.log(c, d);
    }
  }
}
console.log({ bad, n, stop: r.stopIds, id: r.identity, cpu: process.cpuUsage(t0) });
//# sourceMappingURL=data:application/json;base64,ewogICJ2ZXJzaW9uIjogMywKICAic291cmNlcyI6IFsiY2hlY2sudHMiLCAiLi4vLi4vY29udHJhY3Qvc3JjL2FwcC1lcnJvci50cyIsICIuLi9zcmMvcmVuZGVyZXIvbG9hZC1yZW5kZXJlci50cyIsICIuLi9zcmMvcmVuZGVyZXIvYnl0ZS1sZXZlbC50cyIsICIuLi9zcmMvcmVuZGVyZXIvY2hhdC10ZW1wbGF0ZS50cyIsICIuLi9zcmMvcmVuZGVyZXIvbWFya3MudHMiLCAiLi4vc3JjL2pzb24vcGFyc2UtbG9zc2xlc3MudHMiLCAiLi4vc3JjL3JlbmRlcmVyL3RlbXBsYXRlLXZhbHVlcy50cyIsICIuLi9zcmMvcmVuZGVyZXIvY29udHJvbC10b2tlbnMudHMiLCAiLi4vc3JjL3JlbmRlcmVyL21vZGVsLWZvbGRlci50cyIsICIuLi8uLi9kdXJhYmxlL3NyYy9hdG9taWMtZmlsZS50cyIsICIuLi9zcmMvcmVuZGVyZXIvbHJ1LnRzIiwgIi4uL3NyYy9yZW5kZXJlci90b29sLWNhbGxzLnRzIiwgIi4uL3NyYy9yZW5kZXJlci9yZW5kZXJlci50cyIsICIuLi9zcmMvcmVuZGVyZXIvcmVmZXJlbmNlLWNvbnZlcnNhdGlvbnMudHMiLCAiLi4vc3JjL3JlbmRlcmVyL3NlbGYtY2hlY2sudHMiLCAiLi4vc3JjL3JlbmRlcmVyL3RleHQtZW5jb2Rlci50cyIsICIuLi8uLi9lbWJlZGRlZC9zcmMvY2hhdC9jaGF0LWVuY29kZXIudHMiLCAiLi4vLi4vY29udHJhY3Qvc3JjL3JhbmRvbS50cyIsICIuLi8uLi9jb250cmFjdC9zcmMvcmVwYWlyLXRhc2sudHMiXSwKICAic291cmNlc0NvbnRlbnQiOiBbImltcG9ydCB7IHJlYWRGaWxlU3luYyB9IGZyb20gXCJub2RlOmZzXCI7XG5pbXBvcnQgeyBsb2FkUmVuZGVyZXIgfSBmcm9tIFwiLi4vc3JjL3JlbmRlcmVyL2xvYWQtcmVuZGVyZXIudHNcIjtcbmltcG9ydCB7IHBhcnNlVG9vbHMgfSBmcm9tIFwiLi4vc3JjL3JlbmRlcmVyL3NlbGYtY2hlY2sudHNcIjtcbmltcG9ydCB7IENoYXRFbmNvZGVyIH0gZnJvbSBcIi4uLy4uL2VtYmVkZGVkL3NyYy9jaGF0L2NoYXQtZW5jb2Rlci50c1wiO1xuaW1wb3J0IHsgUkVQQUlSX1NZU1RFTV9QUk9NUFQsIFJFUEFJUl9UT09MUywgaW5zdHJ1Y3Rpb25PZiwgcmVwYWlyVGFzaywgZmFpbHVyZU1lc3NhZ2UgfSBmcm9tIFwiLi4vLi4vY29udHJhY3Qvc3JjL3JlcGFpci10YXNrLnRzXCI7XG5jb25zdCBkaXIgPSBcIi90bXAvcHJveHkvbW9kZWxcIjtcbmNvbnN0IHIgPSBhd2FpdCBsb2FkUmVuZGVyZXIoZGlyKTtcbmNvbnN0IGUgPSBuZXcgQ2hhdEVuY29kZXIoeyB0b2tlbml6ZXJUZXh0OiByZWFkRmlsZVN5bmMoZGlyICsgXCIvdG9rZW5pemVyLmpzb25cIiwgXCJ1dGY4XCIpLCBjaGF0VGVtcGxhdGU6IHJlYWRGaWxlU3luYyhkaXIgKyBcIi9jaGF0X3RlbXBsYXRlLmppbmphXCIsIFwidXRmOFwiKSB9KTtcbmNvbnN0IHRvb2xzID0gcGFyc2VUb29scyhKU09OLnN0cmluZ2lmeShSRVBBSVJfVE9PTFMpKTtcbmxldCBiYWQgPSAwOyBsZXQgbiA9IDA7XG5jb25zdCB0MCA9IHByb2Nlc3MuY3B1VXNhZ2UoKTtcbmZvciAobGV0IHMgPSAwOyBzIDwgMjAwOyBzKyspIHtcbiAgY29uc3QgdGFzayA9IHJlcGFpclRhc2socyk7XG4gIGNvbnN0IG1lc3NhZ2VzID0gW3sgcm9sZTogXCJzeXN0ZW1cIiBhcyBjb25zdCwgY29udGVudDogUkVQQUlSX1NZU1RFTV9QUk9NUFQgfSwgeyByb2xlOiBcInVzZXJcIiBhcyBjb25zdCwgY29udGVudDogaW5zdHJ1Y3Rpb25PZih0YXNrKSB9XTtcbiAgY29uc3QgYSA9IGF3YWl0IHIucmVuZGVyUm9vdChtZXNzYWdlcywgdG9vbHMpO1xuICBjb25zdCBiID0gYXdhaXQgZS5lbmNvZGUobWVzc2FnZXMsIFJFUEFJUl9UT09MUywgdHJ1ZSk7XG4gIGlmIChhLmpvaW4oKSAhPT0gYi5qb2luKCkpIHsgYmFkKys7IGlmIChiYWQgPCAzKSBjb25zb2xlLmxvZyhhLm1hcCgoeCkgPT4gci5kZWNvZGUoW3hdKSksIGIubWFwKCh4KSA9PiByLmRlY29kZShbeF0pKSk7IH1cbiAgZm9yIChjb25zdCB0ZXh0IG9mIFtcIm9rXCIsIFwiUEFTU1wiLCBcIkVSUk9SIGJhZCBjYWxsXCIsIGZhaWx1cmVNZXNzYWdlKHRhc2ssIDApXSkge1xuICAgIG4rKztcbiAgICBjb25zdCBjID0gYXdhaXQgci5yZW5kZXJTdWZmaXgoW3sgcm9sZTogXCJ0b29sXCIsIHRvb2xfY2FsbF9pZDogXCJjXCIsIGNvbnRlbnQ6IHRleHQgfV0sIHRvb2xzLCB0cnVlKTtcbiAgICBjb25zdCBkID0gYXdhaXQgZS5lbmNvZGVUb29sQW5zd2VyKHRleHQpO1xuICAgIGlmIChjLmpvaW4oKSAhPT0gZC5qb2luKCkpIHsgYmFkKys7IGlmIChiYWQgPCAzKSBjb25zb2xlLmxvZyhjLCBkKTsgfVxuICB9XG59XG5jb25zb2xlLmxvZyh7IGJhZCwgbiwgc3RvcDogci5zdG9wSWRzLCBpZDogci5pZGVudGl0eSwgY3B1OiBwcm9jZXNzLmNwdVVzYWdlKHQwKSB9KTtcbiIsICJpbXBvcnQgeyB6IH0gZnJvbSBcInpvZFwiO1xuXG4vKiogQ2xvc2VkIGxpc3Qgb2YgZXJyb3IgY29kZXM7IGVhY2ggbWFwcyB0byBvbmUgSFRUUCBzdGF0dXMgaW4ge0BsaW5rIEhUVFBfU1RBVFVTfS4gKi9cbmV4cG9ydCBjb25zdCBBcHBFcnJvckNvZGUgPSB6LmVudW0oW1xuICBcIkJBRF9SRVFVRVNUXCIsXG4gIFwiVU5BVVRIRU5USUNBVEVEXCIsXG4gIFwiRk9SQklEREVOXCIsXG4gIFwiTk9UX0ZPVU5EXCIsXG4gIFwiQ09ORkxJQ1RcIixcbiAgXCJUT09fTEFSR0VcIixcbiAgXCJUT09fTUFOWV9SRVFVRVNUU1wiLFxuICBcIlVOQVZBSUxBQkxFXCIsXG4gIFwiSU5URVJOQUxcIixcbl0pO1xuZXhwb3J0IHR5cGUgQXBwRXJyb3JDb2RlID0gei5pbmZlcjx0eXBlb2YgQXBwRXJyb3JDb2RlPjtcblxuZXhwb3J0IGNvbnN0IEhUVFBfU1RBVFVTID0ge1xuICBCQURfUkVRVUVTVDogNDAwLFxuICBVTkFVVEhFTlRJQ0FURUQ6IDQwMSxcbiAgRk9SQklEREVOOiA0MDMsXG4gIE5PVF9GT1VORDogNDA0LFxuICBDT05GTElDVDogNDA5LFxuICBUT09fTEFSR0U6IDQxMyxcbiAgVE9PX01BTllfUkVRVUVTVFM6IDQyOSxcbiAgVU5BVkFJTEFCTEU6IDUwMyxcbiAgSU5URVJOQUw6IDUwMCxcbn0gYXMgY29uc3Qgc2F0aXNmaWVzIFJlY29yZDxBcHBFcnJvckNvZGUsIG51bWJlcj47XG5cbi8qKlxuICogVGhlIG9uZSBlcnJvciB0aGF0IG91ciBjb2RlIHRocm93cyBvbiBwdXJwb3NlLlxuICogYG1lc3NhZ2VgIGdvZXMgdG8gdGhlIGxvZzsgYHVzZXJNZXNzYWdlYCBnb2VzIHRvIHRoZSBjYWxsZXIgYW5kIHNheXMgd2hhdCB0byBkbyBhYm91dCBpdC5cbiAqL1xuZXhwb3J0IGNsYXNzIEFwcEVycm9yIGV4dGVuZHMgRXJyb3Ige1xuICBvdmVycmlkZSByZWFkb25seSBuYW1lID0gXCJBcHBFcnJvclwiO1xuICByZWFkb25seSBjb2RlOiBBcHBFcnJvckNvZGU7XG4gIHJlYWRvbmx5IHVzZXJNZXNzYWdlOiBzdHJpbmc7XG5cbiAgY29uc3RydWN0b3IoXG4gICAgY29kZTogQXBwRXJyb3JDb2RlLFxuICAgIHRleHQ6IHsgdXNlck1lc3NhZ2U6IHN0cmluZzsgbWVzc2FnZT86IHN0cmluZzsgY2F1c2U/OiB1bmtub3duIH0sXG4gICkge1xuICAgIHN1cGVyKHRleHQubWVzc2FnZSA/PyB0ZXh0LnVzZXJNZXNzYWdlLCB7IGNhdXNlOiB0ZXh0LmNhdXNlIH0pO1xuICAgIHRoaXMuY29kZSA9IGNvZGU7XG4gICAgdGhpcy51c2VyTWVzc2FnZSA9IHRleHQudXNlck1lc3NhZ2U7XG4gIH1cbn1cblxuLyoqIEJvZHkgb2YgZXZlcnkgbm9uLTJ4eCBhbnN3ZXIgb2Ygb3VyIG93biBIVFRQIEFQSXMgKHRoZSBwcm94eSdzIGRpYWxlY3RzIHVzZSB0aGVpciBvd24gc2hhcGVzKS4gKi9cbmV4cG9ydCBjb25zdCBFcnJvckJvZHkgPSB6Lm9iamVjdCh7XG4gIGVycm9yOiB6Lm9iamVjdCh7IGNvZGU6IEFwcEVycm9yQ29kZSwgbWVzc2FnZTogei5zdHJpbmcoKSB9KSxcbn0pO1xuZXhwb3J0IHR5cGUgRXJyb3JCb2R5ID0gei5pbmZlcjx0eXBlb2YgRXJyb3JCb2R5PjtcbiIsICJpbXBvcnQgeyBBcHBFcnJvciB9IGZyb20gXCJAbGl2ZXJsL2NvbnRyYWN0L2FwcC1lcnJvclwiO1xuaW1wb3J0IHsgVG9rZW5pemVyIH0gZnJvbSBcInRva2VuaXplcnNcIjtcbmltcG9ydCB7IEJ5dGVMZXZlbERlY29kZXIgfSBmcm9tIFwiI3JlbmRlcmVyL2J5dGUtbGV2ZWwudHNcIjtcbmltcG9ydCB7IENoYXRUZW1wbGF0ZSB9IGZyb20gXCIjcmVuZGVyZXIvY2hhdC10ZW1wbGF0ZS50c1wiO1xuaW1wb3J0IHsgQ29udHJvbFRva2VucyB9IGZyb20gXCIjcmVuZGVyZXIvY29udHJvbC10b2tlbnMudHNcIjtcbmltcG9ydCB7IHR5cGUgTW9kZWxGb2xkZXIsIHJlYWRNb2RlbEZvbGRlciwgcmVmdXNhbCB9IGZyb20gXCIjcmVuZGVyZXIvbW9kZWwtZm9sZGVyLnRzXCI7XG5pbXBvcnQgeyBSZW5kZXJlciB9IGZyb20gXCIjcmVuZGVyZXIvcmVuZGVyZXIudHNcIjtcbmltcG9ydCB7IGNoZWNrUmVuZGVyZXIgfSBmcm9tIFwiI3JlbmRlcmVyL3NlbGYtY2hlY2sudHNcIjtcbmltcG9ydCB7IFRleHRFbmNvZGVyIH0gZnJvbSBcIiNyZW5kZXJlci90ZXh0LWVuY29kZXIudHNcIjtcblxuLyoqIExvYWRzIGEgSHVnZ2luZyBGYWNlIGZvbGRlci4gVGhyb3dzIEJBRF9SRVFVRVNUIHdpdGggdGhlIHJlYXNvbiB3aGVuIGl0IGNhbiBub3QgYmUgc2VydmVkIGV4YWN0bHkuICovXG5leHBvcnQgYXN5bmMgZnVuY3Rpb24gbG9hZFJlbmRlcmVyKGRpcmVjdG9yeTogc3RyaW5nKTogUHJvbWlzZTxSZW5kZXJlcj4ge1xuICBjb25zdCBmb2xkZXIgPSBhd2FpdCByZWFkTW9kZWxGb2xkZXIoZGlyZWN0b3J5KTtcbiAgdHJ5IHtcbiAgICBjb25zdCB0b2tlbml6ZXIgPSBUb2tlbml6ZXIuZnJvbVN0cmluZyhmb2xkZXIudG9rZW5pemVyVGV4dCk7XG4gICAgcmVmdXNlVW5zYWZlVG9rZW5zKGZvbGRlcik7XG4gICAgY29uc3QgY29udHJvbCA9IG5ldyBDb250cm9sVG9rZW5zKGZvbGRlci5hZGRlZFRva2Vucyk7XG4gICAgY29uc3QgdGVtcGxhdGUgPSBuZXcgQ2hhdFRlbXBsYXRlKGZvbGRlci50ZW1wbGF0ZSwgY29udHJvbCwgeyBib3NfdG9rZW46IGZvbGRlci5ib3NUb2tlbiwgZW9zX3Rva2VuOiBmb2xkZXIuZW9zVG9rZW4gfSk7XG4gICAgY29uc3QgZW5jb2RlciA9IG5ldyBUZXh0RW5jb2Rlcihmb2xkZXIuYmFyZVRva2VuaXplclRleHQsIGNvbnRyb2wpO1xuICAgIGNvbnN0IGNsb3NlID0gY2xvc2VPZih0ZW1wbGF0ZSwgY29udHJvbCk7XG4gICAgY29uc3QgaGlkZGVuID0gZm9sZGVyLmFkZGVkVG9rZW5zLmZpbHRlcigodG9rZW4pID0+IHRva2VuLnNwZWNpYWwgJiYgIXRva2VuLmNvbnRlbnQuaW5jbHVkZXMoXCJ0b29sX2NhbGxcIikpO1xuICAgIGNvbnN0IHJlbmRlcmVyID0gbmV3IFJlbmRlcmVyKHtcbiAgICAgIHRlbXBsYXRlLFxuICAgICAgZW5jb2RlcixcbiAgICAgIGRlY29kZXI6IGRlY29kZXJPZihmb2xkZXIsIHRva2VuaXplciksXG4gICAgICBjbG9zZSxcbiAgICAgIHN0b3BJZHM6IFsuLi5uZXcgU2V0KFtjbG9zZS5pZCwgLi4uZm9sZGVyLmVvc0lkc10pXSxcbiAgICAgIGhpZGRlbklkczogbmV3IFNldChbY2xvc2UuaWQsIC4uLmZvbGRlci5lb3NJZHMsIC4uLmhpZGRlbi5tYXAoKHRva2VuKSA9PiB0b2tlbi5pZCldKSxcbiAgICAgIGZhbWlseTogZm9sZGVyLnRlbXBsYXRlLmluY2x1ZGVzKFwiPHRvb2xfY2FsbD5cIikgPyBcImNoYXRtbC1oZXJtZXNcIiA6IFwicGxhaW5cIixcbiAgICAgIHRva2VuaXplclNoYTI1NjogZm9sZGVyLnRva2VuaXplclNoYTI1NixcbiAgICAgIGNoYXRUZW1wbGF0ZVNoYTI1NjogZm9sZGVyLmNoYXRUZW1wbGF0ZVNoYTI1NixcbiAgICB9KTtcbiAgICBhd2FpdCBjaGVja1JlbmRlcmVyKHsgcmVuZGVyZXIsIHRlbXBsYXRlLCBlbmNvZGVyLCB0b2tlbml6ZXIsIGZvbGRlciB9KTtcbiAgICByZXR1cm4gcmVuZGVyZXI7XG4gIH0gY2F0Y2ggKGVycm9yKSB7XG4gICAgaWYgKGVycm9yIGluc3RhbmNlb2YgQXBwRXJyb3IgJiYgZXJyb3IuY29kZSAhPT0gXCJCQURfUkVRVUVTVFwiKSB0aHJvdyBlcnJvcjtcbiAgICBjb25zdCB3aHkgPSBlcnJvciBpbnN0YW5jZW9mIEFwcEVycm9yID8gZXJyb3IudXNlck1lc3NhZ2UgOiBlcnJvciBpbnN0YW5jZW9mIEVycm9yID8gZXJyb3IubWVzc2FnZSA6IFN0cmluZyhlcnJvcik7XG4gICAgdGhyb3cgcmVmdXNhbChkaXJlY3RvcnksIHdoeSk7XG4gIH1cbn1cblxuZnVuY3Rpb24gcmVmdXNlVW5zYWZlVG9rZW5zKHsgYWRkZWRUb2tlbnMgfTogTW9kZWxGb2xkZXIpOiB2b2lkIHtcbiAgZm9yIChjb25zdCB7IGNvbnRlbnQsIGxzdHJpcCwgcnN0cmlwLCBzaW5nbGVfd29yZCB9IG9mIGFkZGVkVG9rZW5zKSB7XG4gICAgY29uc3Qgc2hvd24gPSBKU09OLnN0cmluZ2lmeShjb250ZW50KTtcbiAgICBpZiAobHN0cmlwIHx8IHJzdHJpcCB8fCBzaW5nbGVfd29yZCkgdGhyb3cgbmV3IEVycm9yKGBhZGRlZCB0b2tlbiAke3Nob3dufSBlYXRzIG9yIG5lZWRzIHdoaXRlIHNwYWNlIGFyb3VuZCBpdGApO1xuICAgIGlmIChbLi4uY29udGVudF0ubGVuZ3RoIDwgMikgdGhyb3cgbmV3IEVycm9yKGBhZGRlZCB0b2tlbiAke3Nob3dufSBpcyBhIHNpbmdsZSBjaGFyYWN0ZXIsIHNvIGNvbnRlbnQgY2FuIG5vdCBhdm9pZCBpdGApO1xuICAgIGlmIChjb250ZW50LnRyaW0oKSA9PT0gXCJcIikgdGhyb3cgbmV3IEVycm9yKGBhZGRlZCB0b2tlbiAke3Nob3dufSBpcyB3aGl0ZSBzcGFjZWApO1xuICB9XG59XG5cbi8qKiBUaGUgY29udHJvbCB0b2tlbiB0aGF0IHRoZSB0ZW1wbGF0ZSBwdXRzIHJpZ2h0IGFmdGVyIGFuIGFzc2lzdGFudCB0dXJuJ3MgY29udGVudC4gKi9cbmZ1bmN0aW9uIGNsb3NlT2YodGVtcGxhdGU6IENoYXRUZW1wbGF0ZSwgY29udHJvbDogQ29udHJvbFRva2Vucyk6IHsgaWQ6IG51bWJlcjsgdGV4dDogc3RyaW5nIH0ge1xuICBjb25zdCB7IHRleHQsIG1hcmtzIH0gPSB0ZW1wbGF0ZS5yZW5kZXIoXG4gICAgW1xuICAgICAgeyByb2xlOiBcInVzZXJcIiwgY29udGVudDogXCI/XCIgfSxcbiAgICAgIHsgcm9sZTogXCJhc3Npc3RhbnRcIiwgY29udGVudDogXCJhbmNob3JcIiB9LFxuICAgIF0sXG4gICAgbnVsbCxcbiAgICBmYWxzZSxcbiAgKTtcbiAgY29uc3QgYWZ0ZXIgPSB0ZXh0LnNsaWNlKHRleHQubGFzdEluZGV4T2YoXCJhbmNob3JcIikgKyBcImFuY2hvclwiLmxlbmd0aCkucmVwbGFjZUFsbChtYXJrcy5icmVha2VyLCBcIlwiKTtcbiAgY29uc3QgW2ZpcnN0XSA9IGNvbnRyb2wuc3BsaXQoYWZ0ZXIpO1xuICBjb25zdCBmb3VuZCA9IFsuLi5jb250cm9sLmJ5VGV4dF0uZmluZCgoWywgaWRdKSA9PiBpZCA9PT0gZmlyc3QpO1xuICBpZiAoIWZvdW5kKSB0aHJvdyBuZXcgRXJyb3IoXCJpdHMgdGVtcGxhdGUgZG9lcyBub3QgY2xvc2UgYW4gYXNzaXN0YW50IHR1cm4gd2l0aCBhIGNvbnRyb2wgdG9rZW5cIik7XG4gIHJldHVybiB7IHRleHQ6IGZvdW5kWzBdLCBpZDogZm91bmRbMV0gfTtcbn1cblxuZnVuY3Rpb24gZGVjb2Rlck9mKGZvbGRlcjogTW9kZWxGb2xkZXIsIHRva2VuaXplcjogVG9rZW5pemVyKTogQnl0ZUxldmVsRGVjb2RlciB7XG4gIGNvbnN0IHsgZGVjb2RlciB9ID0gSlNPTi5wYXJzZShmb2xkZXIudG9rZW5pemVyVGV4dCkgYXMgeyBkZWNvZGVyPzogeyB0eXBlPzogc3RyaW5nIH0gfCBudWxsIH07XG4gIGlmIChkZWNvZGVyPy50eXBlICE9PSBcIkJ5dGVMZXZlbFwiKSB0aHJvdyBuZXcgRXJyb3IoYGl0cyB0b2tlbml6ZXIgZGVjb2RlcyBieSAke2RlY29kZXI/LnR5cGUgPz8gXCJub3RoaW5nXCJ9OyBvbmx5IGJ5dGUtbGV2ZWwgb25lcyBhcmUga25vd25gKTtcbiAgcmV0dXJuIG5ldyBCeXRlTGV2ZWxEZWNvZGVyKHRva2VuaXplci5nZXRWb2NhYihmYWxzZSksIG5ldyBNYXAoZm9sZGVyLmFkZGVkVG9rZW5zLm1hcCgodG9rZW4pID0+IFt0b2tlbi5jb250ZW50LCB0b2tlbi5pZF0pKSk7XG59XG4iLCAiLyoqIEdQVC0yJ3MgYnl0ZSBhbHBoYWJldDogdGhlIGNoYXJhY3RlciB0aGF0IHN0YW5kcyBmb3IgZWFjaCBieXRlIGluIGEgYnl0ZS1sZXZlbCB2b2NhYnVsYXJ5LiAqL1xuZXhwb3J0IGNvbnN0IEJZVEVfQ0hBUkFDVEVSUzogcmVhZG9ubHkgc3RyaW5nW10gPSBidWlsZEFscGhhYmV0KCk7XG5cbmZ1bmN0aW9uIGJ1aWxkQWxwaGFiZXQoKTogc3RyaW5nW10ge1xuICBjb25zdCBwcmludGFibGUgPSAoYnl0ZTogbnVtYmVyKSA9PiAoYnl0ZSA+PSAzMyAmJiBieXRlIDw9IDEyNikgfHwgKGJ5dGUgPj0gMTYxICYmIGJ5dGUgPD0gMTcyKSB8fCBieXRlID49IDE3NDtcbiAgbGV0IGV4dHJhID0gMjU2O1xuICByZXR1cm4gQXJyYXkuZnJvbSh7IGxlbmd0aDogMjU2IH0sIChfLCBieXRlKSA9PiBTdHJpbmcuZnJvbUNoYXJDb2RlKHByaW50YWJsZShieXRlKSA/IGJ5dGUgOiBleHRyYSsrKSk7XG59XG5cbi8qKiBUdXJucyBpZHMgaW50byBieXRlcywgYW5kIGJ5dGVzIGludG8gdGV4dCwgYnkgdGhlIHZvY2FidWxhcnkgYWxvbmU6IHN5bmNocm9ub3VzIGFuZCBleGFjdC4gKi9cbmV4cG9ydCBjbGFzcyBCeXRlTGV2ZWxEZWNvZGVyIHtcbiAgcmVhZG9ubHkgI2J5dGVzOiAoVWludDhBcnJheSB8IHVuZGVmaW5lZClbXSA9IFtdO1xuXG4gIC8qKiBgdm9jYWJ1bGFyeWA6IG9yZGluYXJ5IHRva2VucyBpbiBieXRlIGNoYXJhY3RlcnM7IGBhZGRlZGA6IGNvbnRyb2wgdG9rZW5zIGFzIHBsYWluIHRleHQuICovXG4gIGNvbnN0cnVjdG9yKHZvY2FidWxhcnk6IFJlYWRvbmx5PFJlY29yZDxzdHJpbmcsIG51bWJlcj4+LCBhZGRlZDogUmVhZG9ubHlNYXA8c3RyaW5nLCBudW1iZXI+KSB7XG4gICAgY29uc3QgYnl0ZU9mID0gbmV3IE1hcChCWVRFX0NIQVJBQ1RFUlMubWFwKChjaGFyYWN0ZXIsIGJ5dGUpID0+IFtjaGFyYWN0ZXIsIGJ5dGVdKSk7XG4gICAgZm9yIChjb25zdCBbdG9rZW4sIGlkXSBvZiBPYmplY3QuZW50cmllcyh2b2NhYnVsYXJ5KSkge1xuICAgICAgY29uc3QgYnl0ZXMgPSBbLi4udG9rZW5dLm1hcCgoY2hhcmFjdGVyKSA9PiBieXRlT2YuZ2V0KGNoYXJhY3RlcikpO1xuICAgICAgdGhpcy4jYnl0ZXNbaWRdID0gYnl0ZXMuZXZlcnkoKGJ5dGUpID0+IGJ5dGUgIT09IHVuZGVmaW5lZCkgPyBVaW50OEFycmF5LmZyb20oYnl0ZXMpIDogQnVmZmVyLmZyb20odG9rZW4sIFwidXRmOFwiKTtcbiAgICB9XG4gICAgZm9yIChjb25zdCBbdGV4dCwgaWRdIG9mIGFkZGVkKSB0aGlzLiNieXRlc1tpZF0gPSBCdWZmZXIuZnJvbSh0ZXh0LCBcInV0ZjhcIik7XG4gIH1cblxuICBieXRlc09mKGlkOiBudW1iZXIpOiBVaW50OEFycmF5IHtcbiAgICByZXR1cm4gdGhpcy4jYnl0ZXNbaWRdID8/IG5ldyBVaW50OEFycmF5KCk7XG4gIH1cblxuICBkZWNvZGUoaWRzOiByZWFkb25seSBudW1iZXJbXSk6IHN0cmluZyB7XG4gICAgcmV0dXJuIG5ldyBUZXh0RGVjb2RlcihcInV0Zi04XCIsIHsgaWdub3JlQk9NOiB0cnVlIH0pLmRlY29kZShCdWZmZXIuY29uY2F0KGlkcy5tYXAoKGlkKSA9PiB0aGlzLmJ5dGVzT2YoaWQpKSkpO1xuICB9XG5cbiAgLyoqIFRleHQgYXMgaXQgYmVjb21lcyBjZXJ0YWluOiBieXRlcyBvZiBhbiB1bmZpbmlzaGVkIGNoYXJhY3RlciBhcmUgaGVsZCBiYWNrIHVudGlsIGl0IGlzIGNvbXBsZXRlLiAqL1xuICBzdHJlYW0oKTogeyBwdXNoKGlkOiBudW1iZXIpOiBzdHJpbmc7IGVuZCgpOiBzdHJpbmcgfSB7XG4gICAgY29uc3QgZGVjb2RlciA9IG5ldyBUZXh0RGVjb2RlcihcInV0Zi04XCIsIHsgaWdub3JlQk9NOiB0cnVlIH0pO1xuICAgIHJldHVybiB7XG4gICAgICBwdXNoOiAoaWQpID0+IGRlY29kZXIuZGVjb2RlKHRoaXMuYnl0ZXNPZihpZCksIHsgc3RyZWFtOiB0cnVlIH0pLFxuICAgICAgZW5kOiAoKSA9PiBkZWNvZGVyLmRlY29kZSgpLFxuICAgIH07XG4gIH1cbn1cbiIsICJpbXBvcnQgeyBUZW1wbGF0ZSB9IGZyb20gXCJAaHVnZ2luZ2ZhY2UvamluamFcIjtcbmltcG9ydCB7IEFwcEVycm9yIH0gZnJvbSBcIkBsaXZlcmwvY29udHJhY3QvYXBwLWVycm9yXCI7XG5pbXBvcnQgdHlwZSB7IE1lc3NhZ2UgfSBmcm9tIFwiQGxpdmVybC9jb250cmFjdC90cmFqZWN0b3J5XCI7XG5pbXBvcnQgdHlwZSB7IENvbnRyb2xUb2tlbnMgfSBmcm9tIFwiI3JlbmRlcmVyL2NvbnRyb2wtdG9rZW5zLnRzXCI7XG5pbXBvcnQgeyBjaG9vc2VNYXJrcywgdHlwZSBNYXJrcywgcmVzb2x2ZU51bWJlcnMgfSBmcm9tIFwiI3JlbmRlcmVyL21hcmtzLnRzXCI7XG5pbXBvcnQgeyBUZW1wbGF0ZVZhbHVlcywgdHlwZSBUb29sRGVmaW5pdGlvbnMgfSBmcm9tIFwiI3JlbmRlcmVyL3RlbXBsYXRlLXZhbHVlcy50c1wiO1xuXG5leHBvcnQgaW50ZXJmYWNlIFJlbmRlcmVkIHtcbiAgdGV4dDogc3RyaW5nO1xuICBtYXJrczogTWFya3M7XG59XG5cbi8qKiBBIGNvbXBpbGVkIGNoYXQgdGVtcGxhdGUuIFdoYXQgaXQgcmV0dXJucyBzdGlsbCBob2xkcyBicmVha2VycyBhbmQsIHdoZXJlIGFza2VkIGZvciwgdGhlIGFuY2hvci4gKi9cbmV4cG9ydCBjbGFzcyBDaGF0VGVtcGxhdGUge1xuICByZWFkb25seSAjdGVtcGxhdGU6IFRlbXBsYXRlO1xuICByZWFkb25seSAjY29udHJvbDogQ29udHJvbFRva2VucztcbiAgcmVhZG9ubHkgI3Rva2VuczogeyBib3NfdG9rZW46IHN0cmluZyB8IG51bGw7IGVvc190b2tlbjogc3RyaW5nIHwgbnVsbCB9O1xuXG4gIGNvbnN0cnVjdG9yKHNvdXJjZTogc3RyaW5nLCBjb250cm9sOiBDb250cm9sVG9rZW5zLCB0b2tlbnM6IHsgYm9zX3Rva2VuOiBzdHJpbmcgfCBudWxsOyBlb3NfdG9rZW46IHN0cmluZyB8IG51bGwgfSkge1xuICAgIHRoaXMuI3RlbXBsYXRlID0gbmV3IFRlbXBsYXRlKHNvdXJjZSk7XG4gICAgdGhpcy4jY29udHJvbCA9IGNvbnRyb2w7XG4gICAgdGhpcy4jdG9rZW5zID0gdG9rZW5zO1xuICB9XG5cbiAgLyoqIFRoZSB3aG9sZSBjb252ZXJzYXRpb24uIFRocm93cyBCQURfUkVRVUVTVCB3aGVuIHRoZSB0ZW1wbGF0ZSByZWZ1c2VzIGl0LiAqL1xuICByZW5kZXIobWVzc2FnZXM6IHJlYWRvbmx5IE1lc3NhZ2VbXSwgdG9vbHM6IFRvb2xEZWZpbml0aW9ucyB8IG51bGwsIGdlbmVyYXRpb25Qcm9tcHQ6IGJvb2xlYW4pOiBSZW5kZXJlZCB7XG4gICAgcmV0dXJuIHRoaXMuI3J1bihtZXNzYWdlcywgdG9vbHMsIGdlbmVyYXRpb25Qcm9tcHQsICgpID0+IFtdKTtcbiAgfVxuXG4gIC8qKlxuICAgKiBUaGUgY29udmVyc2F0aW9uIGFmdGVyIGEgc3RhbmQtaW4gZm9yIGV2ZXJ5dGhpbmcgYmVmb3JlOiBhIHVzZXIgdHVybiBhbmQgYW4gYXNzaXN0YW50IHR1cm4gd2hvc2VcbiAgICogY29udGVudCBpcyB0aGUgYW5jaG9yIG1hcmsuIFdoYXQgYSBoZWxkIHByZWZpeCBpcyBmb2xsb3dlZCBieSBpcyB3aGF0IHN0YW5kcyBiZWhpbmQgdGhlIGFuY2hvci5cbiAgICovXG4gIHJlbmRlckFmdGVyQW5jaG9yKG1lc3NhZ2VzOiByZWFkb25seSBNZXNzYWdlW10sIHRvb2xzOiBUb29sRGVmaW5pdGlvbnMgfCBudWxsKTogUmVuZGVyZWQge1xuICAgIHJldHVybiB0aGlzLiNydW4obWVzc2FnZXMsIHRvb2xzLCB0cnVlLCAoeyBhbmNob3IgfSkgPT4gW1xuICAgICAgeyByb2xlOiBcInVzZXJcIiwgY29udGVudDogXCI/XCIgfSxcbiAgICAgIG1lc3NhZ2VzWzBdPy5yb2xlID09PSBcInRvb2xcIlxuICAgICAgICA/IHsgcm9sZTogXCJhc3Npc3RhbnRcIiwgY29udGVudDogYW5jaG9yLCB0b29sX2NhbGxzOiBbeyBpZDogXCJhbmNob3IwMDBcIiwgdHlwZTogXCJmdW5jdGlvblwiLCBmdW5jdGlvbjogeyBuYW1lOiBhbmNob3IsIGFyZ3VtZW50czoge30gfSB9XSB9XG4gICAgICAgIDogeyByb2xlOiBcImFzc2lzdGFudFwiLCBjb250ZW50OiBhbmNob3IgfSxcbiAgICBdKTtcbiAgfVxuXG4gICNydW4oXG4gICAgbWVzc2FnZXM6IHJlYWRvbmx5IE1lc3NhZ2VbXSxcbiAgICB0b29sczogVG9vbERlZmluaXRpb25zIHwgbnVsbCxcbiAgICBnZW5lcmF0aW9uUHJvbXB0OiBib29sZWFuLFxuICAgIGJlZm9yZTogKG1hcmtzOiBNYXJrcykgPT4gUmVjb3JkPHN0cmluZywgdW5rbm93bj5bXSxcbiAgKTogUmVuZGVyZWQge1xuICAgIGNvbnN0IG1hcmtzID0gY2hvb3NlTWFya3MoSlNPTi5zdHJpbmdpZnkobWVzc2FnZXMpICsgKHRvb2xzID8gSlNPTi5zdHJpbmdpZnkodG9vbHMudmFsdWUpIDogXCJcIikpO1xuICAgIGNvbnN0IHZhbHVlcyA9IG5ldyBUZW1wbGF0ZVZhbHVlcyh0aGlzLiNjb250cm9sLCBtYXJrcyk7XG4gICAgdHJ5IHtcbiAgICAgIGNvbnN0IHRleHQgPSB0aGlzLiN0ZW1wbGF0ZS5yZW5kZXIoe1xuICAgICAgICAuLi50aGlzLiN0b2tlbnMsXG4gICAgICAgIG1lc3NhZ2VzOiBbLi4uYmVmb3JlKG1hcmtzKSwgLi4ubWVzc2FnZXMubWFwKChtZXNzYWdlKSA9PiB2YWx1ZXMubWVzc2FnZShtZXNzYWdlKSldLFxuICAgICAgICB0b29sczogdG9vbHMgPT09IG51bGwgPyBudWxsIDogdmFsdWVzLmxvc3NsZXNzKHRvb2xzLnZhbHVlKSxcbiAgICAgICAgYWRkX2dlbmVyYXRpb25fcHJvbXB0OiBnZW5lcmF0aW9uUHJvbXB0LFxuICAgICAgfSk7XG4gICAgICByZXR1cm4geyB0ZXh0OiByZXNvbHZlTnVtYmVycyh0ZXh0LCBtYXJrcyksIG1hcmtzIH07XG4gICAgfSBjYXRjaCAoZXJyb3IpIHtcbiAgICAgIGlmIChlcnJvciBpbnN0YW5jZW9mIEFwcEVycm9yKSB0aHJvdyBlcnJvcjtcbiAgICAgIGNvbnN0IHdoeSA9IGVycm9yIGluc3RhbmNlb2YgRXJyb3IgPyBlcnJvci5tZXNzYWdlIDogU3RyaW5nKGVycm9yKTtcbiAgICAgIHRocm93IG5ldyBBcHBFcnJvcihcIkJBRF9SRVFVRVNUXCIsIHsgdXNlck1lc3NhZ2U6IGBUaGUgbW9kZWwncyBjaGF0IHRlbXBsYXRlIHJlZnVzZXMgdGhlc2UgbWVzc2FnZXM6ICR7d2h5fWAsIGNhdXNlOiBlcnJvciB9KTtcbiAgICB9XG4gIH1cbn1cbiIsICJpbXBvcnQgeyBBcHBFcnJvciB9IGZyb20gXCJAbGl2ZXJsL2NvbnRyYWN0L2FwcC1lcnJvclwiO1xuXG4vKipcbiAqIFByaXZhdGUtdXNlIGNoYXJhY3RlcnMgdGhhdCBjYXJyeSBtZWFuaW5nIHRocm91Z2ggYSB0ZW1wbGF0ZSBhbmQgYXJlIGdvbmUgYmVmb3JlIGVuY29kaW5nLlxuICogQSBicmVha2VyIG1ha2VzIGEgY29udHJvbCB0b2tlbidzIHRleHQgaW4gc29tZWJvZHkncyBjb250ZW50IHVucmVjb2duaXNhYmxlOyBhbiBvcGVuIGFuZCBhIGNsb3NlXG4gKiBtYXJrIGhvbGQgYSBudW1iZXIncyB0ZXh0OyBhbiBhbmNob3IgbWFya3MgdGhlIHBsYWNlIG9mIGEgdHVybiB3aG9zZSBpZHMgYXJlIGFscmVhZHkgaGVsZC5cbiAqL1xuZXhwb3J0IGludGVyZmFjZSBNYXJrcyB7XG4gIGJyZWFrZXI6IHN0cmluZztcbiAgb3Blbjogc3RyaW5nO1xuICBjbG9zZTogc3RyaW5nO1xuICBhbmNob3I6IHN0cmluZztcbn1cblxuY29uc3QgRklSU1QgPSAweGUwMDA7XG5jb25zdCBMQVNUID0gMHhmOGZmO1xuY29uc3QgQU5ZID0gL1tcXHVlMDAwLVxcdWY4ZmZdLztcbmNvbnN0IERFRkFVTFQ6IE1hcmtzID0geyBicmVha2VyOiBcIlxcdWUwMDBcIiwgb3BlbjogXCJcXHVlMDAxXCIsIGNsb3NlOiBcIlxcdWUwMDJcIiwgYW5jaG9yOiBcIlxcdWUwMDNcIiB9O1xuXG4vKiogTWFya3MgdGhhdCBkbyBub3Qgb2NjdXIgaW4gYHRleHRgLCB3aGljaCBpcyBhbGwgdGhhdCB0aGUgdGVtcGxhdGUgd2lsbCBzZWUuIFRocm93cyBCQURfUkVRVUVTVC4gKi9cbmV4cG9ydCBmdW5jdGlvbiBjaG9vc2VNYXJrcyh0ZXh0OiBzdHJpbmcpOiBNYXJrcyB7XG4gIGlmICghQU5ZLnRlc3QodGV4dCkpIHJldHVybiBERUZBVUxUO1xuICBjb25zdCB0YWtlbiA9IG5ldyBTZXQodGV4dCk7XG4gIGNvbnN0IGZyZWU6IHN0cmluZ1tdID0gW107XG4gIGZvciAobGV0IGNvZGUgPSBGSVJTVDsgY29kZSA8PSBMQVNUICYmIGZyZWUubGVuZ3RoIDwgNDsgY29kZSsrKSB7XG4gICAgY29uc3QgbWFyayA9IFN0cmluZy5mcm9tQ2hhckNvZGUoY29kZSk7XG4gICAgaWYgKCF0YWtlbi5oYXMobWFyaykpIGZyZWUucHVzaChtYXJrKTtcbiAgfVxuICBjb25zdCBbYnJlYWtlciwgb3BlbiwgY2xvc2UsIGFuY2hvcl0gPSBmcmVlO1xuICBpZiAoIWJyZWFrZXIgfHwgIW9wZW4gfHwgIWNsb3NlIHx8ICFhbmNob3IpIHtcbiAgICB0aHJvdyBuZXcgQXBwRXJyb3IoXCJCQURfUkVRVUVTVFwiLCB7IHVzZXJNZXNzYWdlOiBcIlRoZSBtZXNzYWdlcyB1c2UgZXZlcnkgcHJpdmF0ZS11c2UgY2hhcmFjdGVyOyBsZWF2ZSBmb3VyIG9mIHRoZW0gZnJlZS5cIiB9KTtcbiAgfVxuICByZXR1cm4geyBicmVha2VyLCBvcGVuLCBjbG9zZSwgYW5jaG9yIH07XG59XG5cbi8qKiBgXCJcdTI0MDIxLjBcdTI0MDNcImAsIGFzIGB0b2pzb25gIHdyaXRlcyBhIG1hcmtlZCBudW1iZXIsIGFuZCBgXHUyNDAyMS4wXHUyNDAzYCwgYXMgaXQgc3RhbmRzIGluIHBsYWluIG91dHB1dCwgYmVjb21lIGAxLjBgLiAqL1xuZXhwb3J0IGZ1bmN0aW9uIHJlc29sdmVOdW1iZXJzKHJlbmRlcmVkOiBzdHJpbmcsIHsgb3BlbiwgY2xvc2UgfTogTWFya3MpOiBzdHJpbmcge1xuICBpZiAoIXJlbmRlcmVkLmluY2x1ZGVzKG9wZW4pKSByZXR1cm4gcmVuZGVyZWQ7XG4gIGNvbnN0IG1hcmtlZCA9IG5ldyBSZWdFeHAoYFwiJHtvcGVufShbXiR7Y2xvc2V9XSopJHtjbG9zZX1cInwke29wZW59KFteJHtjbG9zZX1dKikke2Nsb3NlfWAsIFwiZ1wiKTtcbiAgcmV0dXJuIHJlbmRlcmVkLnJlcGxhY2UobWFya2VkLCAoXywgcXVvdGVkPzogc3RyaW5nLCBwbGFpbj86IHN0cmluZykgPT4gcXVvdGVkID8/IHBsYWluID8/IFwiXCIpO1xufVxuIiwgIi8qKlxuICogSlNPTiB3aXRoIG5vdGhpbmcgbG9zdDogbnVtYmVyIHRleHQsIGtleSBvcmRlciAoaW50ZWdlci1saWtlIGtleXMgdG9vKSBhbmQgc291cmNlIG9mZnNldHMuXG4gKiBgSlNPTi5wYXJzZWAgdHVybnMgYDEuMGAgaW50byAxLCByb3VuZHMgaW50ZWdlcnMgYWJvdmUgMl41MyBhbmQgbW92ZXMgaW50ZWdlci1saWtlIGtleXMgdG8gdGhlIGZyb250LlxuICovXG5leHBvcnQgdHlwZSBMb3NzbGVzc1ZhbHVlID0geyBzdGFydDogbnVtYmVyOyBlbmQ6IG51bWJlciB9ICYgKFxuICB8IHsga2luZDogXCJvYmplY3RcIjsgZW50cmllczogW2tleTogc3RyaW5nLCB2YWx1ZTogTG9zc2xlc3NWYWx1ZV1bXSB9XG4gIHwgeyBraW5kOiBcImFycmF5XCI7IGVsZW1lbnRzOiBMb3NzbGVzc1ZhbHVlW10gfVxuICB8IHsga2luZDogXCJzdHJpbmdcIjsgdmFsdWU6IHN0cmluZyB9XG4gIHwgeyBraW5kOiBcIm51bWJlclwiOyB0ZXh0OiBzdHJpbmcgfVxuICB8IHsga2luZDogXCJsaXRlcmFsXCI7IHZhbHVlOiBib29sZWFuIHwgbnVsbCB9XG4pO1xuXG5jb25zdCBNQVhfREVQVEggPSAyMDA7XG5jb25zdCBOVU1CRVIgPSAvLT8oPzowfFsxLTldXFxkKikoPzpcXC5cXGQrKT8oPzpbZUVdWystXT9cXGQrKT8veTtcbmNvbnN0IFNQQUNFID0gL1sgXFx0XFxuXFxyXSoveTtcbmNvbnN0IFNUUklORyA9IC9cIig/OlteXCJcXFxcXFx1MDAwMC1cXHUwMDFmXXxcXFxcKD86W1wiXFxcXC9iZm5ydF18dVswLTlhLWZBLUZdezR9KSkqXCIveTtcbmNvbnN0IExJVEVSQUxTID0gW1xuICBbXCJ0cnVlXCIsIHRydWVdLFxuICBbXCJmYWxzZVwiLCBmYWxzZV0sXG4gIFtcIm51bGxcIiwgbnVsbF0sXG5dIGFzIGNvbnN0O1xuXG4vKiogUGFyc2VzIHRoZSB3aG9sZSB0ZXh0LiBUaHJvd3MgU3ludGF4RXJyb3IuICovXG5leHBvcnQgZnVuY3Rpb24gcGFyc2VMb3NzbGVzcyh0ZXh0OiBzdHJpbmcpOiBMb3NzbGVzc1ZhbHVlIHtcbiAgY29uc3QgdmFsdWUgPSBwYXJzZUxvc3NsZXNzQXQodGV4dCwgMCk7XG4gIGlmIChza2lwU3BhY2UodGV4dCwgdmFsdWUuZW5kKSAhPT0gdGV4dC5sZW5ndGgpIHRocm93IG5ldyBTeW50YXhFcnJvcihgdW5leHBlY3RlZCB0ZXh0IGF0ICR7dmFsdWUuZW5kfWApO1xuICByZXR1cm4gdmFsdWU7XG59XG5cbi8qKiBQYXJzZXMgb25lIHZhbHVlIHRoYXQgc3RhcnRzIGF0IGBhdGAgKGFmdGVyIHdoaXRlIHNwYWNlKTsgd2hhdCBmb2xsb3dzIGl0IGlzIGxlZnQgYWxvbmUuIFRocm93cyBTeW50YXhFcnJvci4gKi9cbmV4cG9ydCBmdW5jdGlvbiBwYXJzZUxvc3NsZXNzQXQodGV4dDogc3RyaW5nLCBhdDogbnVtYmVyKTogTG9zc2xlc3NWYWx1ZSB7XG4gIHJldHVybiBwYXJzZVZhbHVlKHRleHQsIHNraXBTcGFjZSh0ZXh0LCBhdCksIDApO1xufVxuXG5leHBvcnQgZnVuY3Rpb24gc2tpcFNwYWNlKHRleHQ6IHN0cmluZywgYXQ6IG51bWJlcik6IG51bWJlciB7XG4gIFNQQUNFLmxhc3RJbmRleCA9IGF0O1xuICBTUEFDRS5leGVjKHRleHQpO1xuICByZXR1cm4gU1BBQ0UubGFzdEluZGV4O1xufVxuXG5mdW5jdGlvbiBwYXJzZVZhbHVlKHRleHQ6IHN0cmluZywgc3RhcnQ6IG51bWJlciwgZGVwdGg6IG51bWJlcik6IExvc3NsZXNzVmFsdWUge1xuICBpZiAoZGVwdGggPiBNQVhfREVQVEgpIHRocm93IG5ldyBTeW50YXhFcnJvcihcIm5lc3RlZCB0b28gZGVlcFwiKTtcbiAgY29uc3QgZmlyc3QgPSB0ZXh0W3N0YXJ0XTtcbiAgaWYgKGZpcnN0ID09PSBcIntcIikgcmV0dXJuIHBhcnNlT2JqZWN0KHRleHQsIHN0YXJ0LCBkZXB0aCk7XG4gIGlmIChmaXJzdCA9PT0gXCJbXCIpIHJldHVybiBwYXJzZUFycmF5KHRleHQsIHN0YXJ0LCBkZXB0aCk7XG4gIGlmIChmaXJzdCA9PT0gJ1wiJykgcmV0dXJuIHBhcnNlU3RyaW5nKHRleHQsIHN0YXJ0KTtcbiAgZm9yIChjb25zdCBbd29yZCwgdmFsdWVdIG9mIExJVEVSQUxTKSB7XG4gICAgaWYgKHRleHQuc3RhcnRzV2l0aCh3b3JkLCBzdGFydCkpIHJldHVybiB7IGtpbmQ6IFwibGl0ZXJhbFwiLCB2YWx1ZSwgc3RhcnQsIGVuZDogc3RhcnQgKyB3b3JkLmxlbmd0aCB9O1xuICB9XG4gIE5VTUJFUi5sYXN0SW5kZXggPSBzdGFydDtcbiAgY29uc3QgbnVtYmVyID0gTlVNQkVSLmV4ZWModGV4dCk/LlswXTtcbiAgaWYgKG51bWJlciA9PT0gdW5kZWZpbmVkKSB0aHJvdyBuZXcgU3ludGF4RXJyb3IoYG5vIEpTT04gdmFsdWUgYXQgJHtzdGFydH1gKTtcbiAgcmV0dXJuIHsga2luZDogXCJudW1iZXJcIiwgdGV4dDogbnVtYmVyLCBzdGFydCwgZW5kOiBzdGFydCArIG51bWJlci5sZW5ndGggfTtcbn1cblxuZnVuY3Rpb24gcGFyc2VTdHJpbmcodGV4dDogc3RyaW5nLCBzdGFydDogbnVtYmVyKTogTG9zc2xlc3NWYWx1ZSAmIHsga2luZDogXCJzdHJpbmdcIiB9IHtcbiAgU1RSSU5HLmxhc3RJbmRleCA9IHN0YXJ0O1xuICBjb25zdCBzb3VyY2UgPSBTVFJJTkcuZXhlYyh0ZXh0KT8uWzBdO1xuICBpZiAoc291cmNlID09PSB1bmRlZmluZWQpIHRocm93IG5ldyBTeW50YXhFcnJvcihgdW5zb3VuZCBzdHJpbmcgYXQgJHtzdGFydH1gKTtcbiAgY29uc3QgdmFsdWU6IHVua25vd24gPSBzb3VyY2UuaW5jbHVkZXMoXCJcXFxcXCIpID8gSlNPTi5wYXJzZShzb3VyY2UpIDogc291cmNlLnNsaWNlKDEsIC0xKTtcbiAgcmV0dXJuIHsga2luZDogXCJzdHJpbmdcIiwgdmFsdWU6IFN0cmluZyh2YWx1ZSksIHN0YXJ0LCBlbmQ6IHN0YXJ0ICsgc291cmNlLmxlbmd0aCB9O1xufVxuXG5mdW5jdGlvbiBwYXJzZU9iamVjdCh0ZXh0OiBzdHJpbmcsIHN0YXJ0OiBudW1iZXIsIGRlcHRoOiBudW1iZXIpOiBMb3NzbGVzc1ZhbHVlIHtcbiAgY29uc3QgZW50cmllczogW3N0cmluZywgTG9zc2xlc3NWYWx1ZV1bXSA9IFtdO1xuICBsZXQgYXQgPSBza2lwU3BhY2UodGV4dCwgc3RhcnQgKyAxKTtcbiAgaWYgKHRleHRbYXRdID09PSBcIn1cIikgcmV0dXJuIHsga2luZDogXCJvYmplY3RcIiwgZW50cmllcywgc3RhcnQsIGVuZDogYXQgKyAxIH07XG4gIGZvciAoOzspIHtcbiAgICBpZiAodGV4dFthdF0gIT09ICdcIicpIHRocm93IG5ldyBTeW50YXhFcnJvcihgbm8ga2V5IGF0ICR7YXR9YCk7XG4gICAgY29uc3Qga2V5ID0gcGFyc2VTdHJpbmcodGV4dCwgYXQpO1xuICAgIGF0ID0gc2tpcFNwYWNlKHRleHQsIGtleS5lbmQpO1xuICAgIGlmICh0ZXh0W2F0XSAhPT0gXCI6XCIpIHRocm93IG5ldyBTeW50YXhFcnJvcihgbm8gY29sb24gYXQgJHthdH1gKTtcbiAgICBjb25zdCB2YWx1ZSA9IHBhcnNlVmFsdWUodGV4dCwgc2tpcFNwYWNlKHRleHQsIGF0ICsgMSksIGRlcHRoICsgMSk7XG4gICAgZW50cmllcy5wdXNoKFtrZXkudmFsdWUsIHZhbHVlXSk7XG4gICAgYXQgPSBza2lwU3BhY2UodGV4dCwgdmFsdWUuZW5kKTtcbiAgICBpZiAodGV4dFthdF0gPT09IFwifVwiKSByZXR1cm4geyBraW5kOiBcIm9iamVjdFwiLCBlbnRyaWVzLCBzdGFydCwgZW5kOiBhdCArIDEgfTtcbiAgICBpZiAodGV4dFthdF0gIT09IFwiLFwiKSB0aHJvdyBuZXcgU3ludGF4RXJyb3IoYG5vIGNvbW1hIGF0ICR7YXR9YCk7XG4gICAgYXQgPSBza2lwU3BhY2UodGV4dCwgYXQgKyAxKTtcbiAgfVxufVxuXG5mdW5jdGlvbiBwYXJzZUFycmF5KHRleHQ6IHN0cmluZywgc3RhcnQ6IG51bWJlciwgZGVwdGg6IG51bWJlcik6IExvc3NsZXNzVmFsdWUge1xuICBjb25zdCBlbGVtZW50czogTG9zc2xlc3NWYWx1ZVtdID0gW107XG4gIGxldCBhdCA9IHNraXBTcGFjZSh0ZXh0LCBzdGFydCArIDEpO1xuICBpZiAodGV4dFthdF0gPT09IFwiXVwiKSByZXR1cm4geyBraW5kOiBcImFycmF5XCIsIGVsZW1lbnRzLCBzdGFydCwgZW5kOiBhdCArIDEgfTtcbiAgZm9yICg7Oykge1xuICAgIGNvbnN0IHZhbHVlID0gcGFyc2VWYWx1ZSh0ZXh0LCBhdCwgZGVwdGggKyAxKTtcbiAgICBlbGVtZW50cy5wdXNoKHZhbHVlKTtcbiAgICBhdCA9IHNraXBTcGFjZSh0ZXh0LCB2YWx1ZS5lbmQpO1xuICAgIGlmICh0ZXh0W2F0XSA9PT0gXCJdXCIpIHJldHVybiB7IGtpbmQ6IFwiYXJyYXlcIiwgZWxlbWVudHMsIHN0YXJ0LCBlbmQ6IGF0ICsgMSB9O1xuICAgIGlmICh0ZXh0W2F0XSAhPT0gXCIsXCIpIHRocm93IG5ldyBTeW50YXhFcnJvcihgbm8gY29tbWEgYXQgJHthdH1gKTtcbiAgICBhdCA9IHNraXBTcGFjZSh0ZXh0LCBhdCArIDEpO1xuICB9XG59XG4iLCAiaW1wb3J0IHR5cGUgeyBNZXNzYWdlIH0gZnJvbSBcIkBsaXZlcmwvY29udHJhY3QvdHJhamVjdG9yeVwiO1xuaW1wb3J0IHsgdHlwZSBMb3NzbGVzc1ZhbHVlLCBwYXJzZUxvc3NsZXNzIH0gZnJvbSBcIiNqc29uL3BhcnNlLWxvc3NsZXNzLnRzXCI7XG5pbXBvcnQgdHlwZSB7IENvbnRyb2xUb2tlbnMgfSBmcm9tIFwiI3JlbmRlcmVyL2NvbnRyb2wtdG9rZW5zLnRzXCI7XG5pbXBvcnQgdHlwZSB7IE1hcmtzIH0gZnJvbSBcIiNyZW5kZXJlci9tYXJrcy50c1wiO1xuXG4vKiogVG9vbCBkZWZpbml0aW9ucyB3aXRoIHRoZSB0ZXh0IHRoYXQgdGhlIGNsaWVudCBzZW50LCBzbyB0aGF0IHRoZSB0ZW1wbGF0ZSBzZWVzIGl0cyBudW1iZXJzIGFuZCBrZXkgb3JkZXIuICovXG5leHBvcnQgaW50ZXJmYWNlIFRvb2xEZWZpbml0aW9ucyB7XG4gIC8qKiBUaGUgc291cmNlIHRleHQsIHdoaWNoIGlkZW50aWZpZXMgdGhlbS4gKi9cbiAgdGV4dDogc3RyaW5nO1xuICB2YWx1ZTogTG9zc2xlc3NWYWx1ZTtcbn1cblxuY29uc3QgSU5URUdFUl9MSUtFID0gL14oPzowfFsxLTldXFxkKikkLztcblxuLyoqIFByZXBhcmVzIHdoYXQgYSB0ZW1wbGF0ZSBzZWVzOiBjb250cm9sIHRleHRzIGJyb2tlbiwgbnVtYmVycyBhbmQga2V5IG9yZGVyIGtlcHQuICovXG5leHBvcnQgY2xhc3MgVGVtcGxhdGVWYWx1ZXMge1xuICByZWFkb25seSAjY29udHJvbDogQ29udHJvbFRva2VucztcbiAgcmVhZG9ubHkgI21hcmtzOiBNYXJrcztcblxuICBjb25zdHJ1Y3Rvcihjb250cm9sOiBDb250cm9sVG9rZW5zLCBtYXJrczogTWFya3MpIHtcbiAgICB0aGlzLiNjb250cm9sID0gY29udHJvbDtcbiAgICB0aGlzLiNtYXJrcyA9IG1hcmtzO1xuICB9XG5cbiAgbWVzc2FnZShtZXNzYWdlOiBNZXNzYWdlKTogUmVjb3JkPHN0cmluZywgdW5rbm93bj4ge1xuICAgIGNvbnN0IHByZXBhcmVkID0gdGhpcy4jbG9vc2UobWVzc2FnZSkgYXMgUmVjb3JkPHN0cmluZywgdW5rbm93bj47XG4gICAgaWYgKHByZXBhcmVkLmNvbnRlbnQgPT09IG51bGwgfHwgcHJlcGFyZWQuY29udGVudCA9PT0gdW5kZWZpbmVkKSBwcmVwYXJlZC5jb250ZW50ID0gXCJcIjtcbiAgICBpZiAoQXJyYXkuaXNBcnJheShtZXNzYWdlLnRvb2xfY2FsbHMpKSBwcmVwYXJlZC50b29sX2NhbGxzID0gbWVzc2FnZS50b29sX2NhbGxzLm1hcCgoY2FsbCkgPT4gdGhpcy4jdG9vbENhbGwoY2FsbCkpO1xuICAgIHJldHVybiBwcmVwYXJlZDtcbiAgfVxuXG4gIC8qKiBUZW1wbGF0ZXMgcHJpbnQgYXJndW1lbnRzIGFzIGFuIG9iamVjdCwgdGhlIHByb3RvY29sIGNhcnJpZXMgdGhlbSBhcyB0ZXh0LiBUZXh0IHRoYXQgaXMgbm8gSlNPTiBzdGF5cyB0ZXh0LiAqL1xuICAjdG9vbENhbGwoY2FsbDogdW5rbm93bik6IHVua25vd24ge1xuICAgIGNvbnN0IHByZXBhcmVkID0gdGhpcy4jbG9vc2UoY2FsbCkgYXMgeyBmdW5jdGlvbj86IHsgYXJndW1lbnRzPzogdW5rbm93biB9IH07XG4gICAgY29uc3QgZ2l2ZW4gPSAoY2FsbCBhcyB7IGZ1bmN0aW9uPzogeyBhcmd1bWVudHM/OiB1bmtub3duIH0gfSB8IG51bGwpPy5mdW5jdGlvbj8uYXJndW1lbnRzO1xuICAgIGlmIChwcmVwYXJlZC5mdW5jdGlvbiA9PT0gdW5kZWZpbmVkIHx8IHR5cGVvZiBnaXZlbiAhPT0gXCJzdHJpbmdcIikgcmV0dXJuIHByZXBhcmVkO1xuICAgIHJldHVybiB7IC4uLnByZXBhcmVkLCBmdW5jdGlvbjogeyAuLi5wcmVwYXJlZC5mdW5jdGlvbiwgYXJndW1lbnRzOiB0aGlzLiNwYXJzZWRBcmd1bWVudHMoZ2l2ZW4pIH0gfTtcbiAgfVxuXG4gICNwYXJzZWRBcmd1bWVudHModGV4dDogc3RyaW5nKTogdW5rbm93biB7XG4gICAgdHJ5IHtcbiAgICAgIHJldHVybiB0aGlzLmxvc3NsZXNzKHBhcnNlTG9zc2xlc3ModGV4dC50cmltKCkgPT09IFwiXCIgPyBcInt9XCIgOiB0ZXh0KSk7XG4gICAgfSBjYXRjaCAoZXJyb3IpIHtcbiAgICAgIGlmIChlcnJvciBpbnN0YW5jZW9mIFN5bnRheEVycm9yKSByZXR1cm4gdGhpcy4jdGV4dCh0ZXh0KTtcbiAgICAgIHRocm93IGVycm9yO1xuICAgIH1cbiAgfVxuXG4gIGxvc3NsZXNzKHZhbHVlOiBMb3NzbGVzc1ZhbHVlKTogdW5rbm93biB7XG4gICAgc3dpdGNoICh2YWx1ZS5raW5kKSB7XG4gICAgICBjYXNlIFwib2JqZWN0XCI6XG4gICAgICAgIHJldHVybiBPYmplY3QuZnJvbUVudHJpZXModmFsdWUuZW50cmllcy5tYXAoKFtrZXksIGlubmVyXSkgPT4gW3RoaXMuI2tleShrZXkpLCB0aGlzLmxvc3NsZXNzKGlubmVyKV0pKTtcbiAgICAgIGNhc2UgXCJhcnJheVwiOlxuICAgICAgICByZXR1cm4gdmFsdWUuZWxlbWVudHMubWFwKChlbGVtZW50KSA9PiB0aGlzLmxvc3NsZXNzKGVsZW1lbnQpKTtcbiAgICAgIGNhc2UgXCJzdHJpbmdcIjpcbiAgICAgICAgLy8gRGVmaW5pdGlvbnMgYW5kIGFyZ3VtZW50cyBhcmUgbGFpZCBvdXQgYnkgdGhlIHRlbXBsYXRlLCB3aGljaCBtYXkgYnVpbGQgYSBjb250cm9sIHRva2VuIGFyb3VuZCBhIG5hbWUuXG4gICAgICAgIHJldHVybiB0aGlzLiNjb250cm9sLmJyZWFrSW5zaWRlKHZhbHVlLnZhbHVlLCB0aGlzLiNtYXJrcy5icmVha2VyKTtcbiAgICAgIGNhc2UgXCJudW1iZXJcIjpcbiAgICAgICAgcmV0dXJuIFN0cmluZyhOdW1iZXIodmFsdWUudGV4dCkpID09PSB2YWx1ZS50ZXh0ID8gTnVtYmVyKHZhbHVlLnRleHQpIDogdGhpcy4jbWFya3Mub3BlbiArIHZhbHVlLnRleHQgKyB0aGlzLiNtYXJrcy5jbG9zZTtcbiAgICAgIGNhc2UgXCJsaXRlcmFsXCI6XG4gICAgICAgIHJldHVybiB2YWx1ZS52YWx1ZTtcbiAgICB9XG4gIH1cblxuICAjbG9vc2UodmFsdWU6IHVua25vd24pOiB1bmtub3duIHtcbiAgICBpZiAodHlwZW9mIHZhbHVlID09PSBcInN0cmluZ1wiKSByZXR1cm4gdGhpcy4jdGV4dCh2YWx1ZSk7XG4gICAgaWYgKEFycmF5LmlzQXJyYXkodmFsdWUpKSByZXR1cm4gdmFsdWUubWFwKChlbGVtZW50KSA9PiB0aGlzLiNsb29zZShlbGVtZW50KSk7XG4gICAgaWYgKHZhbHVlICE9PSBudWxsICYmIHR5cGVvZiB2YWx1ZSA9PT0gXCJvYmplY3RcIikge1xuICAgICAgcmV0dXJuIE9iamVjdC5mcm9tRW50cmllcyhPYmplY3QuZW50cmllcyh2YWx1ZSkubWFwKChba2V5LCBpbm5lcl0pID0+IFt0aGlzLiNrZXkoa2V5KSwgdGhpcy4jbG9vc2UoaW5uZXIpXSkpO1xuICAgIH1cbiAgICByZXR1cm4gdmFsdWU7XG4gIH1cblxuICAjdGV4dCh0ZXh0OiBzdHJpbmcpOiBzdHJpbmcge1xuICAgIHJldHVybiB0aGlzLiNjb250cm9sLnByb3RlY3QodGV4dCwgdGhpcy4jbWFya3MuYnJlYWtlcik7XG4gIH1cblxuICAja2V5KGtleTogc3RyaW5nKTogc3RyaW5nIHtcbiAgICAvLyBBbiBlbmdpbmUtbGlrZSBvYmplY3Qgd291bGQgbW92ZSBcIjFcIiBiZWZvcmUgXCJiXCI7IGEgYnJlYWtlciBpbiBmcm9udCBtYWtlcyBpdCBhbiBvcmRpbmFyeSBrZXkuXG4gICAgcmV0dXJuIElOVEVHRVJfTElLRS50ZXN0KGtleSkgPyB0aGlzLiNtYXJrcy5icmVha2VyICsga2V5IDogdGhpcy4jY29udHJvbC5icmVha0luc2lkZShrZXksIHRoaXMuI21hcmtzLmJyZWFrZXIpO1xuICB9XG59XG4iLCAiaW1wb3J0IHR5cGUgeyBBZGRlZFRva2VuIH0gZnJvbSBcIiNyZW5kZXJlci9tb2RlbC1mb2xkZXIudHNcIjtcblxuY29uc3QgZXNjYXBlUmVnRXhwID0gKHRleHQ6IHN0cmluZykgPT4gdGV4dC5yZXBsYWNlKC9bLiorP14ke30oKXxbXFxdXFxcXF0vZywgXCJcXFxcJCZcIik7XG5cbi8qKiBGaW5kcyBhbmQgYnJlYWtzIHRoZSB0ZXh0cyBvZiBhIHRva2VuaXplcidzIGFkZGVkIHRva2Vucywgc3BlY2lhbCBvciBub3QuICovXG5leHBvcnQgY2xhc3MgQ29udHJvbFRva2VucyB7XG4gIHJlYWRvbmx5IGJ5VGV4dDogUmVhZG9ubHlNYXA8c3RyaW5nLCBudW1iZXI+O1xuICByZWFkb25seSAjYW55OiBSZWdFeHA7XG4gIC8qKiBCZWdpbm5pbmdzIGFuZCBlbmRzIG9mIGNvbnRyb2wgdGV4dHM6IGNvbnRlbnQgdGhhdCBlbmRzIGluIG9uZSBjb3VsZCBjb21wbGV0ZSBpdCB3aXRoIHdoYXQgdGhlIHRlbXBsYXRlIHB1dHMgbmV4dC4gKi9cbiAgcmVhZG9ubHkgI2hlYWRzID0gbmV3IFNldDxzdHJpbmc+KCk7XG4gIHJlYWRvbmx5ICN0YWlscyA9IG5ldyBTZXQ8c3RyaW5nPigpO1xuICByZWFkb25seSAjbG9uZ2VzdDogbnVtYmVyO1xuXG4gIGNvbnN0cnVjdG9yKHRva2VuczogcmVhZG9ubHkgQWRkZWRUb2tlbltdKSB7XG4gICAgY29uc3QgdGV4dHMgPSB0b2tlbnMubWFwKCh0b2tlbikgPT4gdG9rZW4uY29udGVudCkuc29ydCgoYSwgYikgPT4gYi5sZW5ndGggLSBhLmxlbmd0aCk7XG4gICAgdGhpcy5ieVRleHQgPSBuZXcgTWFwKHRva2Vucy5tYXAoKHRva2VuKSA9PiBbdG9rZW4uY29udGVudCwgdG9rZW4uaWRdKSk7XG4gICAgdGhpcy4jYW55ID0gdGV4dHMubGVuZ3RoID09PSAwID8gLyg/ISkvZyA6IG5ldyBSZWdFeHAodGV4dHMubWFwKGVzY2FwZVJlZ0V4cCkuam9pbihcInxcIiksIFwiZ1wiKTtcbiAgICB0aGlzLiNsb25nZXN0ID0gdGV4dHNbMF0/Lmxlbmd0aCA/PyAwO1xuICAgIGZvciAoY29uc3QgdGV4dCBvZiB0ZXh0cykge1xuICAgICAgZm9yIChsZXQgbiA9IDE7IG4gPCB0ZXh0Lmxlbmd0aDsgbisrKSB7XG4gICAgICAgIHRoaXMuI2hlYWRzLmFkZCh0ZXh0LnNsaWNlKDAsIG4pKTtcbiAgICAgICAgdGhpcy4jdGFpbHMuYWRkKHRleHQuc2xpY2UobikpO1xuICAgICAgfVxuICAgIH1cbiAgfVxuXG4gIC8qKiBQaWVjZXMgb2YgdGV4dCBpbiBvcmRlcjogcGxhaW4gb25lcyBhcyBzdHJpbmdzLCBjb250cm9sIHRva2VucyBhcyBpZHMuICovXG4gIHNwbGl0KHRleHQ6IHN0cmluZyk6IChzdHJpbmcgfCBudW1iZXIpW10ge1xuICAgIGNvbnN0IHBpZWNlczogKHN0cmluZyB8IG51bWJlcilbXSA9IFtdO1xuICAgIGxldCBhdCA9IDA7XG4gICAgZm9yIChjb25zdCBtYXRjaCBvZiB0ZXh0Lm1hdGNoQWxsKHRoaXMuI2FueSkpIHtcbiAgICAgIGlmIChtYXRjaC5pbmRleCA+IGF0KSBwaWVjZXMucHVzaCh0ZXh0LnNsaWNlKGF0LCBtYXRjaC5pbmRleCkpO1xuICAgICAgcGllY2VzLnB1c2godGhpcy5ieVRleHQuZ2V0KG1hdGNoWzBdKSA/PyBtYXRjaFswXSk7XG4gICAgICBhdCA9IG1hdGNoLmluZGV4ICsgbWF0Y2hbMF0ubGVuZ3RoO1xuICAgIH1cbiAgICBpZiAoYXQgPCB0ZXh0Lmxlbmd0aCkgcGllY2VzLnB1c2godGV4dC5zbGljZShhdCkpO1xuICAgIHJldHVybiBwaWVjZXM7XG4gIH1cblxuICAvKiogVGhlIHNhbWUgdGV4dCB0byBhIHJlYWRlciwgd2l0aCBicmVha2VycyBpbnNpZGUgZXZlcnkgY29udHJvbCB0b2tlbidzIHRleHQuICovXG4gIGJyZWFrSW5zaWRlKHRleHQ6IHN0cmluZywgYnJlYWtlcjogc3RyaW5nKTogc3RyaW5nIHtcbiAgICByZXR1cm4gdGV4dC5yZXBsYWNlKHRoaXMuI2FueSwgKG1hdGNoKSA9PiBbLi4ubWF0Y2hdLmpvaW4oYnJlYWtlcikpO1xuICB9XG5cbiAgLyoqIEFzIHtAbGluayBicmVha0luc2lkZX0sIGFuZCB3aXRoIGJyZWFrZXJzIGF0IHRoZSBlZGdlcyB3aGVyZSB0aGUgdGV4dCBjb3VsZCBiZWdpbiBvciBlbmQgYSBjb250cm9sIHRva2VuIHdpdGggaXRzIHN1cnJvdW5kaW5ncy4gKi9cbiAgcHJvdGVjdCh0ZXh0OiBzdHJpbmcsIGJyZWFrZXI6IHN0cmluZyk6IHN0cmluZyB7XG4gICAgY29uc3QgYnJva2VuID0gdGhpcy5icmVha0luc2lkZSh0ZXh0LCBicmVha2VyKTtcbiAgICBjb25zdCBpbm5lciA9IGJyb2tlbi50cmltKCk7XG4gICAgY29uc3QgaGVhZCA9IFticm9rZW4sIGlubmVyXS5zb21lKChzaWRlKSA9PiB0aGlzLiNzdGFydHNJbnNpZGUoc2lkZSkpID8gYnJlYWtlciA6IFwiXCI7XG4gICAgY29uc3QgdGFpbCA9IFticm9rZW4sIGlubmVyXS5zb21lKChzaWRlKSA9PiB0aGlzLiNlbmRzSW5zaWRlKHNpZGUpKSA/IGJyZWFrZXIgOiBcIlwiO1xuICAgIGlmIChoZWFkID09PSBcIlwiICYmIHRhaWwgPT09IFwiXCIpIHJldHVybiBicm9rZW47XG4gICAgY29uc3Qgc3RhcnQgPSBicm9rZW4ubGVuZ3RoIC0gYnJva2VuLnRyaW1TdGFydCgpLmxlbmd0aDtcbiAgICByZXR1cm4gYnJva2VuLnNsaWNlKDAsIHN0YXJ0KSArIGhlYWQgKyBpbm5lciArIHRhaWwgKyBicm9rZW4uc2xpY2Uoc3RhcnQgKyBpbm5lci5sZW5ndGgpO1xuICB9XG5cbiAgI3N0YXJ0c0luc2lkZSh0ZXh0OiBzdHJpbmcpOiBib29sZWFuIHtcbiAgICBmb3IgKGxldCBuID0gTWF0aC5taW4odGV4dC5sZW5ndGgsIHRoaXMuI2xvbmdlc3QgLSAxKTsgbiA+IDA7IG4tLSkgaWYgKHRoaXMuI3RhaWxzLmhhcyh0ZXh0LnNsaWNlKDAsIG4pKSkgcmV0dXJuIHRydWU7XG4gICAgcmV0dXJuIGZhbHNlO1xuICB9XG5cbiAgI2VuZHNJbnNpZGUodGV4dDogc3RyaW5nKTogYm9vbGVhbiB7XG4gICAgZm9yIChsZXQgbiA9IE1hdGgubWluKHRleHQubGVuZ3RoLCB0aGlzLiNsb25nZXN0IC0gMSk7IG4gPiAwOyBuLS0pIGlmICh0aGlzLiNoZWFkcy5oYXModGV4dC5zbGljZSgtbikpKSByZXR1cm4gdHJ1ZTtcbiAgICByZXR1cm4gZmFsc2U7XG4gIH1cbn1cbiIsICJpbXBvcnQgeyBjcmVhdGVIYXNoIH0gZnJvbSBcIm5vZGU6Y3J5cHRvXCI7XG5pbXBvcnQgeyByZWFkRmlsZSB9IGZyb20gXCJub2RlOmZzL3Byb21pc2VzXCI7XG5pbXBvcnQgeyBqb2luIH0gZnJvbSBcIm5vZGU6cGF0aFwiO1xuaW1wb3J0IHsgQXBwRXJyb3IgfSBmcm9tIFwiQGxpdmVybC9jb250cmFjdC9hcHAtZXJyb3JcIjtcbmltcG9ydCB7IGlzTWlzc2luZyB9IGZyb20gXCJAbGl2ZXJsL2R1cmFibGUvYXRvbWljLWZpbGVcIjtcbmltcG9ydCB7IHogfSBmcm9tIFwiem9kXCI7XG5cbmNvbnN0IFRva2VuVGV4dCA9IHoudW5pb24oW3ouc3RyaW5nKCksIHoubG9vc2VPYmplY3QoeyBjb250ZW50OiB6LnN0cmluZygpIH0pXSkubnVsbGlzaCgpO1xuY29uc3QgVG9rZW5pemVyQ29uZmlnID0gei5sb29zZU9iamVjdCh7XG4gIGJvc190b2tlbjogVG9rZW5UZXh0LFxuICBlb3NfdG9rZW46IFRva2VuVGV4dCxcbiAgY2hhdF90ZW1wbGF0ZTogei51bmlvbihbei5zdHJpbmcoKSwgei5hcnJheSh6Lmxvb3NlT2JqZWN0KHsgbmFtZTogei5zdHJpbmcoKSwgdGVtcGxhdGU6IHouc3RyaW5nKCkgfSkpXSkubnVsbGlzaCgpLFxufSk7XG5jb25zdCBNb2RlbENvbmZpZyA9IHoubG9vc2VPYmplY3Qoe1xuICBtb2RlbF90eXBlOiB6LnN0cmluZygpLm51bGxpc2goKSxcbiAgZW9zX3Rva2VuX2lkOiB6LnVuaW9uKFt6Lm51bWJlcigpLCB6LmFycmF5KHoubnVtYmVyKCkpXSkubnVsbGlzaCgpLFxufSk7XG5leHBvcnQgY29uc3QgQWRkZWRUb2tlbiA9IHoubG9vc2VPYmplY3Qoe1xuICBpZDogei5udW1iZXIoKS5pbnQoKSxcbiAgY29udGVudDogei5zdHJpbmcoKSxcbiAgc3BlY2lhbDogei5ib29sZWFuKCkuZGVmYXVsdChmYWxzZSksXG4gIGxzdHJpcDogei5ib29sZWFuKCkuZGVmYXVsdChmYWxzZSksXG4gIHJzdHJpcDogei5ib29sZWFuKCkuZGVmYXVsdChmYWxzZSksXG4gIHNpbmdsZV93b3JkOiB6LmJvb2xlYW4oKS5kZWZhdWx0KGZhbHNlKSxcbn0pO1xuZXhwb3J0IHR5cGUgQWRkZWRUb2tlbiA9IHouaW5mZXI8dHlwZW9mIEFkZGVkVG9rZW4+O1xuY29uc3QgVG9rZW5pemVyRmlsZSA9IHoubG9vc2VPYmplY3QoeyBhZGRlZF90b2tlbnM6IHouYXJyYXkoQWRkZWRUb2tlbikuZGVmYXVsdChbXSkgfSk7XG5cbi8qKiBXaGF0IGEgSHVnZ2luZyBGYWNlIGZvbGRlciBzYXlzLCBhcyByZWFkLiAqL1xuZXhwb3J0IGludGVyZmFjZSBNb2RlbEZvbGRlciB7XG4gIHRva2VuaXplclRleHQ6IHN0cmluZztcbiAgLyoqIFRoZSBzYW1lIHRva2VuaXplciB3aXRob3V0IGFkZGVkIHRva2Vuczogd2hhdGV2ZXIgdGV4dCBpdCBnZXRzLCBpdCB5aWVsZHMgbm8gY29udHJvbCBpZC4gKi9cbiAgYmFyZVRva2VuaXplclRleHQ6IHN0cmluZztcbiAgYWRkZWRUb2tlbnM6IEFkZGVkVG9rZW5bXTtcbiAgdGVtcGxhdGU6IHN0cmluZztcbiAgYm9zVG9rZW46IHN0cmluZyB8IG51bGw7XG4gIGVvc1Rva2VuOiBzdHJpbmcgfCBudWxsO1xuICBlb3NJZHM6IG51bWJlcltdO1xuICB0b2tlbml6ZXJTaGEyNTY6IHN0cmluZztcbiAgY2hhdFRlbXBsYXRlU2hhMjU2OiBzdHJpbmc7XG59XG5cbmNvbnN0IHNoYTI1NiA9ICh0ZXh0OiBzdHJpbmcpID0+IGNyZWF0ZUhhc2goXCJzaGEyNTZcIikudXBkYXRlKHRleHQpLmRpZ2VzdChcImhleFwiKTtcbmNvbnN0IHRleHRPZiA9ICh0b2tlbjogei5pbmZlcjx0eXBlb2YgVG9rZW5UZXh0PikgPT4gKHR5cGVvZiB0b2tlbiA9PT0gXCJzdHJpbmdcIiA/IHRva2VuIDogKHRva2VuPy5jb250ZW50ID8/IG51bGwpKTtcblxuYXN5bmMgZnVuY3Rpb24gcmVhZFRleHQocGF0aDogc3RyaW5nKTogUHJvbWlzZTxzdHJpbmcgfCBudWxsPiB7XG4gIHRyeSB7XG4gICAgcmV0dXJuIGF3YWl0IHJlYWRGaWxlKHBhdGgsIFwidXRmOFwiKTtcbiAgfSBjYXRjaCAoZXJyb3IpIHtcbiAgICBpZiAoaXNNaXNzaW5nKGVycm9yKSkgcmV0dXJuIG51bGw7XG4gICAgdGhyb3cgZXJyb3I7XG4gIH1cbn1cblxuLyoqIFRocm93cyBCQURfUkVRVUVTVCB3aXRoIHRoZSByZWFzb24gd2hlbiB0aGUgZm9sZGVyIGxhY2tzIGEgcGFydC4gKi9cbmV4cG9ydCBhc3luYyBmdW5jdGlvbiByZWFkTW9kZWxGb2xkZXIoZGlyZWN0b3J5OiBzdHJpbmcpOiBQcm9taXNlPE1vZGVsRm9sZGVyPiB7XG4gIGNvbnN0IFt0b2tlbml6ZXJUZXh0LCBjb25maWdUZXh0LCB0ZW1wbGF0ZVRleHQsIG1vZGVsVGV4dCwgZ2VuZXJhdGlvblRleHRdID0gYXdhaXQgUHJvbWlzZS5hbGwoXG4gICAgW1widG9rZW5pemVyLmpzb25cIiwgXCJ0b2tlbml6ZXJfY29uZmlnLmpzb25cIiwgXCJjaGF0X3RlbXBsYXRlLmppbmphXCIsIFwiY29uZmlnLmpzb25cIiwgXCJnZW5lcmF0aW9uX2NvbmZpZy5qc29uXCJdLm1hcCgobmFtZSkgPT5cbiAgICAgIHJlYWRUZXh0KGpvaW4oZGlyZWN0b3J5LCBuYW1lKSksXG4gICAgKSxcbiAgKTtcbiAgaWYgKHRva2VuaXplclRleHQgPT0gbnVsbCkgdGhyb3cgcmVmdXNhbChkaXJlY3RvcnksIFwiaXQgaGFzIG5vIHRva2VuaXplci5qc29uXCIpO1xuICBjb25zdCB0b2tlbml6ZXIgPSBUb2tlbml6ZXJGaWxlLnBhcnNlKEpTT04ucGFyc2UodG9rZW5pemVyVGV4dCkpO1xuICBjb25zdCBjb25maWcgPSBUb2tlbml6ZXJDb25maWcucGFyc2UoSlNPTi5wYXJzZShjb25maWdUZXh0ID8/IFwie31cIikpO1xuICBjb25zdCB0ZW1wbGF0ZSA9IHRlbXBsYXRlVGV4dCA/PyB0ZW1wbGF0ZU9mKGNvbmZpZy5jaGF0X3RlbXBsYXRlKTtcbiAgaWYgKHRlbXBsYXRlID09PSBudWxsKSB0aHJvdyByZWZ1c2FsKGRpcmVjdG9yeSwgXCJpdCBoYXMgbm8gY2hhdCB0ZW1wbGF0ZVwiKTtcbiAgY29uc3QgZW9zSWRzID0gW21vZGVsVGV4dCwgZ2VuZXJhdGlvblRleHRdLmZsYXRNYXAoKHRleHQpID0+IE1vZGVsQ29uZmlnLnBhcnNlKEpTT04ucGFyc2UodGV4dCA/PyBcInt9XCIpKS5lb3NfdG9rZW5faWQgPz8gW10pO1xuICBjb25zdCBlb3NUb2tlbiA9IHRleHRPZihjb25maWcuZW9zX3Rva2VuKTtcbiAgY29uc3QgZW9zT2ZDb25maWcgPSB0b2tlbml6ZXIuYWRkZWRfdG9rZW5zLmZpbmQoKHRva2VuKSA9PiB0b2tlbi5jb250ZW50ID09PSBlb3NUb2tlbik/LmlkO1xuICByZXR1cm4ge1xuICAgIHRva2VuaXplclRleHQsXG4gICAgYmFyZVRva2VuaXplclRleHQ6IEpTT04uc3RyaW5naWZ5KHsgLi4udG9rZW5pemVyLCBhZGRlZF90b2tlbnM6IFtdLCBwb3N0X3Byb2Nlc3NvcjogbnVsbCwgdHJ1bmNhdGlvbjogbnVsbCwgcGFkZGluZzogbnVsbCB9KSxcbiAgICBhZGRlZFRva2VuczogdG9rZW5pemVyLmFkZGVkX3Rva2VucyxcbiAgICB0ZW1wbGF0ZSxcbiAgICBib3NUb2tlbjogdGV4dE9mKGNvbmZpZy5ib3NfdG9rZW4pLFxuICAgIGVvc1Rva2VuLFxuICAgIGVvc0lkczogWy4uLm5ldyBTZXQoZW9zT2ZDb25maWcgPT09IHVuZGVmaW5lZCA/IGVvc0lkcyA6IFsuLi5lb3NJZHMsIGVvc09mQ29uZmlnXSldLFxuICAgIHRva2VuaXplclNoYTI1Njogc2hhMjU2KHRva2VuaXplclRleHQpLFxuICAgIGNoYXRUZW1wbGF0ZVNoYTI1Njogc2hhMjU2KHRlbXBsYXRlKSxcbiAgfTtcbn1cblxuZnVuY3Rpb24gdGVtcGxhdGVPZihnaXZlbjogei5pbmZlcjx0eXBlb2YgVG9rZW5pemVyQ29uZmlnPltcImNoYXRfdGVtcGxhdGVcIl0pOiBzdHJpbmcgfCBudWxsIHtcbiAgaWYgKCFBcnJheS5pc0FycmF5KGdpdmVuKSkgcmV0dXJuIGdpdmVuID8/IG51bGw7XG4gIHJldHVybiBnaXZlbi5maW5kKChuYW1lZCkgPT4gbmFtZWQubmFtZSA9PT0gXCJkZWZhdWx0XCIpPy50ZW1wbGF0ZSA/PyBudWxsO1xufVxuXG5leHBvcnQgZnVuY3Rpb24gcmVmdXNhbChkaXJlY3Rvcnk6IHN0cmluZywgd2h5OiBzdHJpbmcpOiBBcHBFcnJvciB7XG4gIHJldHVybiBuZXcgQXBwRXJyb3IoXCJCQURfUkVRVUVTVFwiLCB7IHVzZXJNZXNzYWdlOiBgVGhlIG1vZGVsIGZvbGRlciAke2RpcmVjdG9yeX0gY2FuIG5vdCBiZSBzZXJ2ZWQ6ICR7d2h5fS5gIH0pO1xufVxuIiwgImltcG9ydCB7IHJhbmRvbUJ5dGVzIH0gZnJvbSBcIm5vZGU6Y3J5cHRvXCI7XG5pbXBvcnQgeyBvcGVuLCByZWFkRmlsZSwgcmVuYW1lLCBybSB9IGZyb20gXCJub2RlOmZzL3Byb21pc2VzXCI7XG5pbXBvcnQgeyBkaXJuYW1lIH0gZnJvbSBcIm5vZGU6cGF0aFwiO1xuaW1wb3J0IHR5cGUgeyB6IH0gZnJvbSBcInpvZFwiO1xuXG4vKiogTWFrZXMgYSByZW5hbWUgb3IgYSBuZXcgZW50cnkgaW4gYGRpcmVjdG9yeWAgc3Vydml2ZSBwb3dlciBsb3NzLiAqL1xuZXhwb3J0IGFzeW5jIGZ1bmN0aW9uIHN5bmNEaXJlY3RvcnkoZGlyZWN0b3J5OiBzdHJpbmcpOiBQcm9taXNlPHZvaWQ+IHtcbiAgY29uc3QgaGFuZGxlID0gYXdhaXQgb3BlbihkaXJlY3RvcnksIFwiclwiKTtcbiAgdHJ5IHtcbiAgICBhd2FpdCBoYW5kbGUuc3luYygpO1xuICB9IGZpbmFsbHkge1xuICAgIGF3YWl0IGhhbmRsZS5jbG9zZSgpO1xuICB9XG59XG5cbi8qKiBSZXBsYWNlcyBgcGF0aGAgd2hvbGU6IHJlYWRlcnMgc2VlIHRoZSBvbGQgY29udGVudCBvciB0aGUgbmV3LCBuZXZlciBhIHBhcnQuIER1cmFibGUgd2hlbiBpdCByZXR1cm5zLiAqL1xuZXhwb3J0IGFzeW5jIGZ1bmN0aW9uIHdyaXRlRmlsZUF0b21pYyhcbiAgcGF0aDogc3RyaW5nLFxuICBjb250ZW50OiBzdHJpbmcgfCBVaW50OEFycmF5LFxuICB7IG1vZGUgPSAwbzY0NCB9OiB7IG1vZGU/OiBudW1iZXIgfSA9IHt9LFxuKTogUHJvbWlzZTx2b2lkPiB7XG4gIGNvbnN0IGRyYWZ0ID0gYCR7cGF0aH0uJHtyYW5kb21CeXRlcyg0KS50b1N0cmluZyhcImhleFwiKX0udG1wYDtcbiAgdHJ5IHtcbiAgICBjb25zdCBoYW5kbGUgPSBhd2FpdCBvcGVuKGRyYWZ0LCBcInd4XCIsIG1vZGUpO1xuICAgIHRyeSB7XG4gICAgICBhd2FpdCBoYW5kbGUud3JpdGVGaWxlKGNvbnRlbnQpO1xuICAgICAgYXdhaXQgaGFuZGxlLnN5bmMoKTtcbiAgICB9IGZpbmFsbHkge1xuICAgICAgYXdhaXQgaGFuZGxlLmNsb3NlKCk7XG4gICAgfVxuICAgIGF3YWl0IHJlbmFtZShkcmFmdCwgcGF0aCk7XG4gIH0gY2F0Y2ggKGVycm9yKSB7XG4gICAgYXdhaXQgcm0oZHJhZnQsIHsgZm9yY2U6IHRydWUgfSk7XG4gICAgdGhyb3cgZXJyb3I7XG4gIH1cbiAgYXdhaXQgc3luY0RpcmVjdG9yeShkaXJuYW1lKHBhdGgpKTtcbn1cblxuLyoqIFRoZSBwYXJzZWQgZmlsZSwgb3IgbnVsbCB3aGVyZSB0aGVyZSBpcyBub25lLiBBIGZpbGUgdGhhdCBkb2VzIG5vdCBtYXRjaCBgc2NoZW1hYCB0aHJvd3MuICovXG5leHBvcnQgYXN5bmMgZnVuY3Rpb24gcmVhZEpzb248UyBleHRlbmRzIHouWm9kVHlwZT4ocGF0aDogc3RyaW5nLCBzY2hlbWE6IFMpOiBQcm9taXNlPHouaW5mZXI8Uz4gfCBudWxsPiB7XG4gIGxldCB0ZXh0OiBzdHJpbmc7XG4gIHRyeSB7XG4gICAgdGV4dCA9IGF3YWl0IHJlYWRGaWxlKHBhdGgsIFwidXRmOFwiKTtcbiAgfSBjYXRjaCAoZXJyb3IpIHtcbiAgICBpZiAoaXNNaXNzaW5nKGVycm9yKSkgcmV0dXJuIG51bGw7XG4gICAgdGhyb3cgZXJyb3I7XG4gIH1cbiAgcmV0dXJuIHNjaGVtYS5wYXJzZShKU09OLnBhcnNlKHRleHQpKTtcbn1cblxuZXhwb3J0IGZ1bmN0aW9uIGlzTWlzc2luZyhlcnJvcjogdW5rbm93bik6IGJvb2xlYW4ge1xuICByZXR1cm4gZXJyb3IgaW5zdGFuY2VvZiBFcnJvciAmJiBcImNvZGVcIiBpbiBlcnJvciAmJiBlcnJvci5jb2RlID09PSBcIkVOT0VOVFwiO1xufVxuIiwgIi8qKiBMZWFzdC1yZWNlbnRseS11c2VkIG1hcDsgYG1heEVudHJpZXNgIGJvdW5kcyBpdHMgbWVtb3J5LiAqL1xuZXhwb3J0IGNsYXNzIExydTxWPiB7XG4gIHJlYWRvbmx5ICNlbnRyaWVzID0gbmV3IE1hcDxzdHJpbmcsIFY+KCk7XG4gIHJlYWRvbmx5ICNtYXhFbnRyaWVzOiBudW1iZXI7XG5cbiAgY29uc3RydWN0b3IobWF4RW50cmllczogbnVtYmVyKSB7XG4gICAgdGhpcy4jbWF4RW50cmllcyA9IG1heEVudHJpZXM7XG4gIH1cblxuICBnZXQoa2V5OiBzdHJpbmcpOiBWIHwgdW5kZWZpbmVkIHtcbiAgICBjb25zdCB2YWx1ZSA9IHRoaXMuI2VudHJpZXMuZ2V0KGtleSk7XG4gICAgaWYgKHZhbHVlID09PSB1bmRlZmluZWQpIHJldHVybiB1bmRlZmluZWQ7XG4gICAgdGhpcy4jZW50cmllcy5kZWxldGUoa2V5KTtcbiAgICB0aGlzLiNlbnRyaWVzLnNldChrZXksIHZhbHVlKTtcbiAgICByZXR1cm4gdmFsdWU7XG4gIH1cblxuICBzZXQoa2V5OiBzdHJpbmcsIHZhbHVlOiBWKTogdm9pZCB7XG4gICAgdGhpcy4jZW50cmllcy5kZWxldGUoa2V5KTtcbiAgICB0aGlzLiNlbnRyaWVzLnNldChrZXksIHZhbHVlKTtcbiAgICBpZiAodGhpcy4jZW50cmllcy5zaXplIDw9IHRoaXMuI21heEVudHJpZXMpIHJldHVybjtcbiAgICBmb3IgKGNvbnN0IG9sZGVzdCBvZiB0aGlzLiNlbnRyaWVzLmtleXMoKSkge1xuICAgICAgdGhpcy4jZW50cmllcy5kZWxldGUob2xkZXN0KTtcbiAgICAgIHJldHVybjtcbiAgICB9XG4gIH1cbn1cbiIsICJpbXBvcnQgeyB0eXBlIExvc3NsZXNzVmFsdWUsIHBhcnNlTG9zc2xlc3NBdCwgc2tpcFNwYWNlIH0gZnJvbSBcIiNqc29uL3BhcnNlLWxvc3NsZXNzLnRzXCI7XG5cbi8qKiBgbWFsZm9ybWVkYDogYSBibG9jayB0aGF0IGlzIG5vIGNhbGwgc3RheXMgdGV4dDsgYHVuY2xvc2VkYDogdGhlIHR1cm4gZW5kZWQgaW5zaWRlIGEgYmxvY2ssIHdoaWNoIHN0YXlzIHRleHQsIHRvby4gKi9cbmV4cG9ydCB0eXBlIFRvb2xDYWxsU3RhdHVzID0gXCJva1wiIHwgXCJtYWxmb3JtZWRcIiB8IFwidW5jbG9zZWRcIjtcblxuZXhwb3J0IGludGVyZmFjZSBQYXJzZWRUdXJuIHtcbiAgLyoqIEV2ZXJ5dGhpbmcgdGhhdCBpcyBub3QgYSB3ZWxsLWZvcm1lZCBjYWxsLCB0cmltbWVkIHdoZW4gdGhlcmUgYXJlIGNhbGxzLiAqL1xuICBjb250ZW50OiBzdHJpbmc7XG4gIC8qKiBJbiB0aGUgb3JkZXIgb2YgdGhlIHRleHQ7IGBhcmd1bWVudHNgIGlzIEpTT04gdGV4dCBhcyB0aGUgbW9kZWwgd3JvdGUgaXQuICovXG4gIHRvb2xDYWxsczogeyBuYW1lOiBzdHJpbmc7IGFyZ3VtZW50czogc3RyaW5nIH1bXTtcbiAgc3RhdHVzOiBUb29sQ2FsbFN0YXR1cztcbn1cblxuY29uc3QgT1BFTiA9IFwiPHRvb2xfY2FsbD5cIjtcbmNvbnN0IENMT1NFID0gXCI8L3Rvb2xfY2FsbD5cIjtcblxuLyoqIFJlYWRzIEhlcm1lcycgZ3JhbW1hcjogYDx0b29sX2NhbGw+e1wibmFtZVwiOiBcdTIwMjYsIFwiYXJndW1lbnRzXCI6IHtcdTIwMjZ9fTwvdG9vbF9jYWxsPmAsIGFueSBudW1iZXIgb2YgdGltZXMuICovXG5leHBvcnQgZnVuY3Rpb24gcGFyc2VUb29sQ2FsbHModGV4dDogc3RyaW5nKTogUGFyc2VkVHVybiB7XG4gIGNvbnN0IHRvb2xDYWxsczogUGFyc2VkVHVybltcInRvb2xDYWxsc1wiXSA9IFtdO1xuICBjb25zdCBrZXB0OiBzdHJpbmdbXSA9IFtdO1xuICBsZXQgc3RhdHVzOiBUb29sQ2FsbFN0YXR1cyA9IFwib2tcIjtcbiAgbGV0IGF0ID0gMDtcbiAgZm9yICg7Oykge1xuICAgIGNvbnN0IG9wZW4gPSB0ZXh0LmluZGV4T2YoT1BFTiwgYXQpO1xuICAgIGlmIChvcGVuIDwgMCkgYnJlYWs7XG4gICAga2VwdC5wdXNoKHRleHQuc2xpY2UoYXQsIG9wZW4pKTtcbiAgICBjb25zdCBjYWxsID0gcGFyc2VCbG9jayh0ZXh0LCBvcGVuICsgT1BFTi5sZW5ndGgpO1xuICAgIGlmIChjYWxsKSB7XG4gICAgICB0b29sQ2FsbHMucHVzaCh7IG5hbWU6IGNhbGwubmFtZSwgYXJndW1lbnRzOiBjYWxsLmFyZ3VtZW50cyB9KTtcbiAgICAgIGF0ID0gY2FsbC5lbmQ7XG4gICAgICBjb250aW51ZTtcbiAgICB9XG4gICAgY29uc3QgY2xvc2UgPSB0ZXh0LmluZGV4T2YoQ0xPU0UsIG9wZW4pO1xuICAgIHN0YXR1cyA9IGNsb3NlIDwgMCA/IFwidW5jbG9zZWRcIiA6IFwibWFsZm9ybWVkXCI7XG4gICAgYXQgPSBjbG9zZSA8IDAgPyB0ZXh0Lmxlbmd0aCA6IGNsb3NlICsgQ0xPU0UubGVuZ3RoO1xuICAgIGtlcHQucHVzaCh0ZXh0LnNsaWNlKG9wZW4sIGF0KSk7XG4gIH1cbiAga2VwdC5wdXNoKHRleHQuc2xpY2UoYXQpKTtcbiAgY29uc3QgY29udGVudCA9IGtlcHQuam9pbihcIlwiKTtcbiAgcmV0dXJuIHsgY29udGVudDogdG9vbENhbGxzLmxlbmd0aCA+IDAgPyBjb250ZW50LnRyaW0oKSA6IGNvbnRlbnQsIHRvb2xDYWxscywgc3RhdHVzIH07XG59XG5cbmZ1bmN0aW9uIHBhcnNlQmxvY2sodGV4dDogc3RyaW5nLCBzdGFydDogbnVtYmVyKTogeyBuYW1lOiBzdHJpbmc7IGFyZ3VtZW50czogc3RyaW5nOyBlbmQ6IG51bWJlciB9IHwgbnVsbCB7XG4gIGxldCB2YWx1ZTogTG9zc2xlc3NWYWx1ZTtcbiAgdHJ5IHtcbiAgICB2YWx1ZSA9IHBhcnNlTG9zc2xlc3NBdCh0ZXh0LCBzdGFydCk7XG4gIH0gY2F0Y2ggKGVycm9yKSB7XG4gICAgaWYgKGVycm9yIGluc3RhbmNlb2YgU3ludGF4RXJyb3IpIHJldHVybiBudWxsO1xuICAgIHRocm93IGVycm9yO1xuICB9XG4gIGNvbnN0IGVuZCA9IHNraXBTcGFjZSh0ZXh0LCB2YWx1ZS5lbmQpO1xuICBpZiAodmFsdWUua2luZCAhPT0gXCJvYmplY3RcIiB8fCAhdGV4dC5zdGFydHNXaXRoKENMT1NFLCBlbmQpKSByZXR1cm4gbnVsbDtcbiAgY29uc3QgZmllbGRzID0gbmV3IE1hcCh2YWx1ZS5lbnRyaWVzKTtcbiAgY29uc3QgbmFtZSA9IGZpZWxkcy5nZXQoXCJuYW1lXCIpO1xuICBjb25zdCBnaXZlbiA9IGZpZWxkcy5nZXQoXCJhcmd1bWVudHNcIik7XG4gIGlmIChuYW1lPy5raW5kICE9PSBcInN0cmluZ1wiIHx8IG5hbWUudmFsdWUgPT09IFwiXCIpIHJldHVybiBudWxsO1xuICBpZiAoZ2l2ZW4gIT09IHVuZGVmaW5lZCAmJiBnaXZlbi5raW5kICE9PSBcIm9iamVjdFwiKSByZXR1cm4gbnVsbDtcbiAgcmV0dXJuIHsgbmFtZTogbmFtZS52YWx1ZSwgYXJndW1lbnRzOiBnaXZlbiA/IHRleHQuc2xpY2UoZ2l2ZW4uc3RhcnQsIGdpdmVuLmVuZCkgOiBcInt9XCIsIGVuZDogZW5kICsgQ0xPU0UubGVuZ3RoIH07XG59XG4iLCAiaW1wb3J0IHR5cGUgeyBNZXNzYWdlIH0gZnJvbSBcIkBsaXZlcmwvY29udHJhY3QvdHJhamVjdG9yeVwiO1xuaW1wb3J0IHR5cGUgeyBCeXRlTGV2ZWxEZWNvZGVyIH0gZnJvbSBcIiNyZW5kZXJlci9ieXRlLWxldmVsLnRzXCI7XG5pbXBvcnQgdHlwZSB7IENoYXRUZW1wbGF0ZSwgUmVuZGVyZWQgfSBmcm9tIFwiI3JlbmRlcmVyL2NoYXQtdGVtcGxhdGUudHNcIjtcbmltcG9ydCB7IExydSB9IGZyb20gXCIjcmVuZGVyZXIvbHJ1LnRzXCI7XG5pbXBvcnQgdHlwZSB7IFRvb2xEZWZpbml0aW9ucyB9IGZyb20gXCIjcmVuZGVyZXIvdGVtcGxhdGUtdmFsdWVzLnRzXCI7XG5pbXBvcnQgdHlwZSB7IFRleHRFbmNvZGVyIH0gZnJvbSBcIiNyZW5kZXJlci90ZXh0LWVuY29kZXIudHNcIjtcbmltcG9ydCB7IHR5cGUgUGFyc2VkVHVybiwgcGFyc2VUb29sQ2FsbHMgfSBmcm9tIFwiI3JlbmRlcmVyL3Rvb2wtY2FsbHMudHNcIjtcblxuZXhwb3J0IGludGVyZmFjZSBSZW5kZXJlclBhcnRzIHtcbiAgdGVtcGxhdGU6IENoYXRUZW1wbGF0ZTtcbiAgZW5jb2RlcjogVGV4dEVuY29kZXI7XG4gIGRlY29kZXI6IEJ5dGVMZXZlbERlY29kZXI7XG4gIC8qKiBUaGUgY29udHJvbCB0b2tlbiB0aGF0IGNsb3NlcyBhIHR1cm4gaW4gdGhpcyB0ZW1wbGF0ZS4gKi9cbiAgY2xvc2U6IHsgaWQ6IG51bWJlcjsgdGV4dDogc3RyaW5nIH07XG4gIC8qKiBTYW1wbGluZyBlbmRzIGF0IGFueSBvZiB0aGVzZS4gKi9cbiAgc3RvcElkczogcmVhZG9ubHkgbnVtYmVyW107XG4gIC8qKiBDb250cm9sIGlkcyB0aGF0IGEgY2xpZW50IG5ldmVyIHNlZXMgYXMgdGV4dC4gKi9cbiAgaGlkZGVuSWRzOiBSZWFkb25seVNldDxudW1iZXI+O1xuICBmYW1pbHk6IHN0cmluZztcbiAgdG9rZW5pemVyU2hhMjU2OiBzdHJpbmc7XG4gIGNoYXRUZW1wbGF0ZVNoYTI1Njogc3RyaW5nO1xufVxuXG5jb25zdCBDQUNIRURfUkVOREVSUyA9IDQwOTY7XG5jb25zdCBMT05HRVNUX0NBQ0hFRF9LRVkgPSA2NV81MzY7XG5cbi8qKiBUZW1wbGF0ZSwgdG9rZW5pemVyIGFuZCB0b29sIGdyYW1tYXIgb2Ygb25lIG1vZGVsIGZvbGRlci4gKi9cbmV4cG9ydCBjbGFzcyBSZW5kZXJlciB7XG4gIHJlYWRvbmx5ICNwYXJ0czogUmVuZGVyZXJQYXJ0cztcbiAgcmVhZG9ubHkgI2NhY2hlID0gbmV3IExydTxyZWFkb25seSBudW1iZXJbXT4oQ0FDSEVEX1JFTkRFUlMpO1xuXG4gIGNvbnN0cnVjdG9yKHBhcnRzOiBSZW5kZXJlclBhcnRzKSB7XG4gICAgdGhpcy4jcGFydHMgPSBwYXJ0cztcbiAgfVxuXG4gIGdldCBzdG9wSWRzKCk6IHJlYWRvbmx5IG51bWJlcltdIHtcbiAgICByZXR1cm4gdGhpcy4jcGFydHMuc3RvcElkcztcbiAgfVxuXG4gIGdldCBjbG9zZUlkKCk6IG51bWJlciB7XG4gICAgcmV0dXJuIHRoaXMuI3BhcnRzLmNsb3NlLmlkO1xuICB9XG5cbiAgLyoqIEFzIGBwcm94eV90cmFqZWN0b3J5Lmpzb25gIG5hbWVzIHRoZSBtb2RlbCwgd2l0aG91dCBpdHMgbmFtZS4gKi9cbiAgZ2V0IGlkZW50aXR5KCkge1xuICAgIGNvbnN0IHsgZmFtaWx5LCB0b2tlbml6ZXJTaGEyNTYsIGNoYXRUZW1wbGF0ZVNoYTI1NiB9ID0gdGhpcy4jcGFydHM7XG4gICAgcmV0dXJuIHsgZmFtaWx5LCB0b2tlbml6ZXJTaGEyNTYsIGNoYXRUZW1wbGF0ZVNoYTI1NiB9O1xuICB9XG5cbiAgLyoqIElkcyBvZiBhIGNvbnZlcnNhdGlvbiBmcm9tIGl0cyBzdGFydCwgd2l0aCB0aGUgZ2VuZXJhdGlvbiBwcm9tcHQuICovXG4gIHJlbmRlclJvb3QobWVzc2FnZXM6IHJlYWRvbmx5IE1lc3NhZ2VbXSwgdG9vbHM6IFRvb2xEZWZpbml0aW9ucyB8IG51bGwpOiBQcm9taXNlPHJlYWRvbmx5IG51bWJlcltdPiB7XG4gICAgcmV0dXJuIHRoaXMuI2NhY2hlZChbXCJyb290XCIsIG1lc3NhZ2VzLCB0b29scz8udGV4dF0sICgpID0+IHtcbiAgICAgIGNvbnN0IHsgdGV4dCwgbWFya3MgfSA9IHRoaXMuI3BhcnRzLnRlbXBsYXRlLnJlbmRlcihtZXNzYWdlcywgdG9vbHMsIHRydWUpO1xuICAgICAgcmV0dXJuIHRoaXMuI3BhcnRzLmVuY29kZXIuZW5jb2RlKHRleHQsIG1hcmtzLmJyZWFrZXIpO1xuICAgIH0pO1xuICB9XG5cbiAgLyoqXG4gICAqIElkcyB0aGF0IGZvbGxvdyBhIGhlbGQgYXNzaXN0YW50IHR1cm46IHRoZSByZXN0IG9mIGl0cyBjbG9zZSwgdGhlIG5ldyBtZXNzYWdlcyBhbmQgdGhlIGdlbmVyYXRpb24gcHJvbXB0LlxuICAgKiBgY2xvc2VkYDogdGhlIGhlbGQgdHVybiBlbmRzIGluIHRoZSBjbG9zZSB0b2tlbjsgb3RoZXJ3aXNlIHRoZSB0b2tlbiBpcyBwdXQgaW4gZnJvbnQuXG4gICAqL1xuICByZW5kZXJTdWZmaXgobWVzc2FnZXM6IHJlYWRvbmx5IE1lc3NhZ2VbXSwgdG9vbHM6IFRvb2xEZWZpbml0aW9ucyB8IG51bGwsIGNsb3NlZDogYm9vbGVhbik6IFByb21pc2U8cmVhZG9ubHkgbnVtYmVyW10+IHtcbiAgICByZXR1cm4gdGhpcy4jY2FjaGVkKFtcInN1ZmZpeFwiLCBjbG9zZWQsIG1lc3NhZ2VzLCB0b29scz8udGV4dF0sICgpID0+IHtcbiAgICAgIGNvbnN0IHsgdGV4dCwgbWFya3MgfSA9IHRoaXMuc3VmZml4VGV4dChtZXNzYWdlcywgdG9vbHMpO1xuICAgICAgcmV0dXJuIHRoaXMuI3BhcnRzLmVuY29kZXIuZW5jb2RlKGNsb3NlZCA/IHRleHQuc2xpY2UodGhpcy4jcGFydHMuY2xvc2UudGV4dC5sZW5ndGgpIDogdGV4dCwgbWFya3MuYnJlYWtlcik7XG4gICAgfSk7XG4gIH1cblxuICAvKiogV2hhdCB0aGUgdGVtcGxhdGUgd3JpdGVzIGFmdGVyIGEgdHVybidzIGNvbnRlbnQsIGZyb20gaXRzIGNsb3NlIHRva2VuIG9uLiAqL1xuICBzdWZmaXhUZXh0KG1lc3NhZ2VzOiByZWFkb25seSBNZXNzYWdlW10sIHRvb2xzOiBUb29sRGVmaW5pdGlvbnMgfCBudWxsKTogUmVuZGVyZWQge1xuICAgIGNvbnN0IHsgdGV4dCwgbWFya3MgfSA9IHRoaXMuI3BhcnRzLnRlbXBsYXRlLnJlbmRlckFmdGVyQW5jaG9yKG1lc3NhZ2VzLCB0b29scyk7XG4gICAgY29uc3QgY2xvc2UgPSB0ZXh0LmluZGV4T2YodGhpcy4jcGFydHMuY2xvc2UudGV4dCwgdGV4dC5sYXN0SW5kZXhPZihtYXJrcy5hbmNob3IpKTtcbiAgICBpZiAoY2xvc2UgPCAwKSB0aHJvdyBuZXcgRXJyb3IoXCJ0aGUgdGVtcGxhdGUgZG9lcyBub3QgY2xvc2UgYW4gYXNzaXN0YW50IHR1cm5cIik7XG4gICAgcmV0dXJuIHsgdGV4dDogdGV4dC5zbGljZShjbG9zZSksIG1hcmtzIH07XG4gIH1cblxuICAvKiogV2hhdCBhIHNhbXBsZWQgdHVybiBzYXlzOiBpdHMgc3RvcCB0b2tlbiBnb25lLCB0b29sIGNhbGxzIHBhcnNlZCBpZiB0aGUgY2FsbCBoYWQgdG9vbHMuICovXG4gIHJlYWRUdXJuKGlkczogcmVhZG9ubHkgbnVtYmVyW10sIGhhc1Rvb2xzOiBib29sZWFuKTogUGFyc2VkVHVybiB7XG4gICAgcmV0dXJuIHRoaXMucmVhZFRleHQodGhpcy52aXNpYmxlVGV4dChpZHMpLCBoYXNUb29scyk7XG4gIH1cblxuICByZWFkVGV4dCh0ZXh0OiBzdHJpbmcsIGhhc1Rvb2xzOiBib29sZWFuKTogUGFyc2VkVHVybiB7XG4gICAgcmV0dXJuIGhhc1Rvb2xzID8gcGFyc2VUb29sQ2FsbHModGV4dCkgOiB7IGNvbnRlbnQ6IHRleHQsIHRvb2xDYWxsczogW10sIHN0YXR1czogXCJva1wiIH07XG4gIH1cblxuICB2aXNpYmxlVGV4dChpZHM6IHJlYWRvbmx5IG51bWJlcltdKTogc3RyaW5nIHtcbiAgICByZXR1cm4gdGhpcy4jcGFydHMuZGVjb2Rlci5kZWNvZGUoaWRzLmZpbHRlcigoaWQpID0+ICF0aGlzLiNwYXJ0cy5oaWRkZW5JZHMuaGFzKGlkKSkpO1xuICB9XG5cbiAgLyoqIFRleHQgb2YgYSBncm93aW5nIHR1cm4sIGEgY2hhcmFjdGVyIG5ldmVyIGJlZm9yZSBhbGwgb2YgaXRzIGJ5dGVzIGFyZSB0aGVyZS4gKi9cbiAgc3RyZWFtVGV4dCgpOiB7IHB1c2goaWQ6IG51bWJlcik6IHN0cmluZzsgZW5kKCk6IHN0cmluZyB9IHtcbiAgICBjb25zdCBzdHJlYW0gPSB0aGlzLiNwYXJ0cy5kZWNvZGVyLnN0cmVhbSgpO1xuICAgIHJldHVybiB7IHB1c2g6IChpZCkgPT4gKHRoaXMuI3BhcnRzLmhpZGRlbklkcy5oYXMoaWQpID8gXCJcIiA6IHN0cmVhbS5wdXNoKGlkKSksIGVuZDogKCkgPT4gc3RyZWFtLmVuZCgpIH07XG4gIH1cblxuICAvKiogRXZlcnkgaWQgYXMgdGV4dCwgY29udHJvbCB0b2tlbnMgdG9vLiAqL1xuICBkZWNvZGUoaWRzOiByZWFkb25seSBudW1iZXJbXSk6IHN0cmluZyB7XG4gICAgcmV0dXJuIHRoaXMuI3BhcnRzLmRlY29kZXIuZGVjb2RlKGlkcyk7XG4gIH1cblxuICBhc3luYyAjY2FjaGVkKGtleWVkOiB1bmtub3duLCByZW5kZXI6ICgpID0+IFByb21pc2U8cmVhZG9ubHkgbnVtYmVyW10+KTogUHJvbWlzZTxyZWFkb25seSBudW1iZXJbXT4ge1xuICAgIGNvbnN0IGtleSA9IEpTT04uc3RyaW5naWZ5KGtleWVkKTtcbiAgICBpZiAoa2V5Lmxlbmd0aCA+IExPTkdFU1RfQ0FDSEVEX0tFWSkgcmV0dXJuIHJlbmRlcigpO1xuICAgIGNvbnN0IGhlbGQgPSB0aGlzLiNjYWNoZS5nZXQoa2V5KTtcbiAgICBpZiAoaGVsZCkgcmV0dXJuIGhlbGQ7XG4gICAgY29uc3QgaWRzID0gYXdhaXQgcmVuZGVyKCk7XG4gICAgdGhpcy4jY2FjaGUuc2V0KGtleSwgaWRzKTtcbiAgICByZXR1cm4gaWRzO1xuICB9XG59XG4iLCAiaW1wb3J0IHR5cGUgeyBNZXNzYWdlIH0gZnJvbSBcIkBsaXZlcmwvY29udHJhY3QvdHJhamVjdG9yeVwiO1xuXG5jb25zdCBjYWxsID0gKG5hbWU6IHN0cmluZywgYXJnczogc3RyaW5nLCBpZDogc3RyaW5nKSA9PiAoeyBpZCwgdHlwZTogXCJmdW5jdGlvblwiLCBmdW5jdGlvbjogeyBuYW1lLCBhcmd1bWVudHM6IGFyZ3MgfSB9KTtcblxuZXhwb3J0IGNvbnN0IFJFRkVSRU5DRV9UT09MUyA9IGBbe1widHlwZVwiOiBcImZ1bmN0aW9uXCIsIFwiZnVuY3Rpb25cIjoge1wibmFtZVwiOiBcImVkaXRcIiwgXCJkZXNjcmlwdGlvblwiOiBcIlJlcGxhY2Ugb25lIGxpbmUuXCIsIFwicGFyYW1ldGVyc1wiOiB7XCJ0eXBlXCI6IFwib2JqZWN0XCIsIFwicHJvcGVydGllc1wiOiB7XCJsaW5lXCI6IHtcInR5cGVcIjogXCJpbnRlZ2VyXCIsIFwibWluaW11bVwiOiAxLjB9LCBcIjFcIjoge1widHlwZVwiOiBcInN0cmluZ1wifX0sIFwicmVxdWlyZWRcIjogW1wibGluZVwiXX19fSwge1widHlwZVwiOiBcImZ1bmN0aW9uXCIsIFwiZnVuY3Rpb25cIjoge1wibmFtZVwiOiBcInRlc3RcIiwgXCJkZXNjcmlwdGlvblwiOiBcIlJ1biA8Yj5hbGw8L2I+IHRlc3RzICYgcmVwb3J0LlwiLCBcInBhcmFtZXRlcnNcIjoge1widHlwZVwiOiBcIm9iamVjdFwiLCBcInByb3BlcnRpZXNcIjoge319fX1dYDtcblxuLyoqIENvbnZlcnNhdGlvbnMgdGhhdCBhIHJlbmRlcmVyIG11c3QgZ2V0IHJpZ2h0IGJlZm9yZSBpdCBtYXkgc2VydmU6IGVhY2ggaXMgcmVuZGVyZWQgd2hvbGUgYW5kIHR1cm4gYnkgdHVybi4gKi9cbmV4cG9ydCBjb25zdCBSRUZFUkVOQ0VfQ09OVkVSU0FUSU9OUzogcmVhZG9ubHkgeyBuYW1lOiBzdHJpbmc7IHRvb2xzOiBib29sZWFuOyBtZXNzYWdlczogcmVhZG9ubHkgTWVzc2FnZVtdIH1bXSA9IFtcbiAge1xuICAgIG5hbWU6IFwic3lzdGVtIGFuZCBzZXZlcmFsIHR1cm5zXCIsXG4gICAgdG9vbHM6IGZhbHNlLFxuICAgIG1lc3NhZ2VzOiBbXG4gICAgICB7IHJvbGU6IFwic3lzdGVtXCIsIGNvbnRlbnQ6IFwiQmUgYnJpZWYuXCIgfSxcbiAgICAgIHsgcm9sZTogXCJ1c2VyXCIsIGNvbnRlbnQ6IFwiSGlcIiB9LFxuICAgICAgeyByb2xlOiBcImFzc2lzdGFudFwiLCBjb250ZW50OiBcIkhlbGxvLlwiIH0sXG4gICAgICB7IHJvbGU6IFwidXNlclwiLCBjb250ZW50OiBcIiAgdHdvXFxuXFxuIGxpbmVzIFxcblwiIH0sXG4gICAgICB7IHJvbGU6IFwiYXNzaXN0YW50XCIsIGNvbnRlbnQ6IFwiMVxcbjJcIiB9LFxuICAgICAgeyByb2xlOiBcInVzZXJcIiwgY29udGVudDogXCJUaGFua3NcIiB9LFxuICAgIF0sXG4gIH0sXG4gIHtcbiAgICBuYW1lOiBcIm5vIHN5c3RlbSwgdW5pY29kZVwiLFxuICAgIHRvb2xzOiBmYWxzZSxcbiAgICBtZXNzYWdlczogW1xuICAgICAgeyByb2xlOiBcInVzZXJcIiwgY29udGVudDogXCJHclx1MDBGQ1x1MDBERmUgXHU0RjYwXHU1OTdEIFx1RDgzRFx1REM2OVx1MjAwRFx1RDgzRFx1RENCQiBcXHUwMDAwXFx1MjAyOFwiIH0sXG4gICAgICB7IHJvbGU6IFwiYXNzaXN0YW50XCIsIGNvbnRlbnQ6IFwiXHUwMEU5IFx1MjAxNCBcdTI3MTMgXHVEODNEXHVERTQyXCIgfSxcbiAgICAgIHsgcm9sZTogXCJ1c2VyXCIsIGNvbnRlbnQ6IFwib2tcIiB9LFxuICAgIF0sXG4gIH0sXG4gIHtcbiAgICBuYW1lOiBcInRvb2wgY2FsbHMgYW5kIHJlc3VsdHNcIixcbiAgICB0b29sczogdHJ1ZSxcbiAgICBtZXNzYWdlczogW1xuICAgICAgeyByb2xlOiBcInN5c3RlbVwiLCBjb250ZW50OiBcIkZpeCB0aGUgYnVnLlwiIH0sXG4gICAgICB7IHJvbGU6IFwidXNlclwiLCBjb250ZW50OiBcInNyYy9hLmpzXFxuMSBmdW5jdGlvbiBmKGEsIGIpIHtcXG4yICAgcmV0dXJuIGEgLSBiXFxuMyB9XCIgfSxcbiAgICAgIHsgcm9sZTogXCJhc3Npc3RhbnRcIiwgY29udGVudDogXCJcIiwgdG9vbF9jYWxsczogW2NhbGwoXCJ0ZXN0XCIsIFwie31cIiwgXCJjMVwiKV0gfSxcbiAgICAgIHsgcm9sZTogXCJ0b29sXCIsIHRvb2xfY2FsbF9pZDogXCJjMVwiLCBjb250ZW50OiBcIkZBSUwgbGluZSAyXCIgfSxcbiAgICAgIHsgcm9sZTogXCJhc3Npc3RhbnRcIiwgY29udGVudDogXCJJIHNlZS5cIiwgdG9vbF9jYWxsczogW2NhbGwoXCJlZGl0XCIsICd7XCJsaW5lXCI6IDIsIFwiY29kZVwiOiBcIiAgcmV0dXJuIGEgKyBiXCIsIFwiYmlnXCI6IDkwMDcxOTkyNTQ3NDA5OTMsIFwic21hbGxcIjogMWUtMDd9JywgXCJjMlwiKV0gfSxcbiAgICAgIHsgcm9sZTogXCJ0b29sXCIsIHRvb2xfY2FsbF9pZDogXCJjMlwiLCBjb250ZW50OiBcIm9rXCIgfSxcbiAgICAgIHsgcm9sZTogXCJhc3Npc3RhbnRcIiwgY29udGVudDogXCJEb25lLlwiIH0sXG4gICAgICB7IHJvbGU6IFwidXNlclwiLCBjb250ZW50OiBcIlN1cmU/XCIgfSxcbiAgICBdLFxuICB9LFxuICB7XG4gICAgbmFtZTogXCJwYXJhbGxlbCB0b29sIHJlc3VsdHNcIixcbiAgICB0b29sczogdHJ1ZSxcbiAgICBtZXNzYWdlczogW1xuICAgICAgeyByb2xlOiBcInVzZXJcIiwgY29udGVudDogXCJib3RoXCIgfSxcbiAgICAgIHsgcm9sZTogXCJhc3Npc3RhbnRcIiwgY29udGVudDogXCJcIiwgdG9vbF9jYWxsczogW2NhbGwoXCJ0ZXN0XCIsIFwie31cIiwgXCJjMVwiKSwgY2FsbChcImVkaXRcIiwgJ3tcImxpbmVcIjogMS4wfScsIFwiYzJcIildIH0sXG4gICAgICB7IHJvbGU6IFwidG9vbFwiLCB0b29sX2NhbGxfaWQ6IFwiYzJcIiwgY29udGVudDogXCJzZWNvbmRcIiB9LFxuICAgICAgeyByb2xlOiBcInRvb2xcIiwgdG9vbF9jYWxsX2lkOiBcImMxXCIsIGNvbnRlbnQ6IFwiZmlyc3RcIiB9LFxuICAgICAgeyByb2xlOiBcInVzZXJcIiwgY29udGVudDogXCJnbyBvblwiIH0sXG4gICAgXSxcbiAgfSxcbl07XG4iLCAiaW1wb3J0IHR5cGUgeyBNZXNzYWdlIH0gZnJvbSBcIkBsaXZlcmwvY29udHJhY3QvdHJhamVjdG9yeVwiO1xuaW1wb3J0IHR5cGUgeyBUb2tlbml6ZXIgfSBmcm9tIFwidG9rZW5pemVyc1wiO1xuaW1wb3J0IHsgcGFyc2VMb3NzbGVzcyB9IGZyb20gXCIjanNvbi9wYXJzZS1sb3NzbGVzcy50c1wiO1xuaW1wb3J0IHR5cGUgeyBDaGF0VGVtcGxhdGUgfSBmcm9tIFwiI3JlbmRlcmVyL2NoYXQtdGVtcGxhdGUudHNcIjtcbmltcG9ydCB0eXBlIHsgTW9kZWxGb2xkZXIgfSBmcm9tIFwiI3JlbmRlcmVyL21vZGVsLWZvbGRlci50c1wiO1xuaW1wb3J0IHsgUkVGRVJFTkNFX0NPTlZFUlNBVElPTlMsIFJFRkVSRU5DRV9UT09MUyB9IGZyb20gXCIjcmVuZGVyZXIvcmVmZXJlbmNlLWNvbnZlcnNhdGlvbnMudHNcIjtcbmltcG9ydCB0eXBlIHsgUmVuZGVyZXIgfSBmcm9tIFwiI3JlbmRlcmVyL3JlbmRlcmVyLnRzXCI7XG5pbXBvcnQgdHlwZSB7IFRvb2xEZWZpbml0aW9ucyB9IGZyb20gXCIjcmVuZGVyZXIvdGVtcGxhdGUtdmFsdWVzLnRzXCI7XG5pbXBvcnQgdHlwZSB7IFRleHRFbmNvZGVyIH0gZnJvbSBcIiNyZW5kZXJlci90ZXh0LWVuY29kZXIudHNcIjtcblxuaW50ZXJmYWNlIFN1YmplY3Qge1xuICByZW5kZXJlcjogUmVuZGVyZXI7XG4gIHRlbXBsYXRlOiBDaGF0VGVtcGxhdGU7XG4gIGVuY29kZXI6IFRleHRFbmNvZGVyO1xuICB0b2tlbml6ZXI6IFRva2VuaXplcjtcbiAgZm9sZGVyOiBNb2RlbEZvbGRlcjtcbn1cblxuLyoqXG4gKiBQcm92ZXMsIG9uIHJlZmVyZW5jZSBjb252ZXJzYXRpb25zLCB0aGF0IHR1cm4tYnktdHVybiByZW5kZXJpbmcgZ2l2ZXMgdGhlIHRleHQgYW5kIHRoZSBpZHMgb2YgcmVuZGVyaW5nXG4gKiB0aGUgd2hvbGUsIHRoYXQgaWRzIGVxdWFsIHRoZSB0b2tlbml6ZXIncyBvd24sIGFuZCB0aGF0IGNvbnRlbnQgY2FuIG5vdCBmb3JnZSBhIGNvbnRyb2wgdG9rZW4uXG4gKiBUaHJvd3Mgd2l0aCB3aGF0IGRpZmZlcnMuXG4gKi9cbmV4cG9ydCBhc3luYyBmdW5jdGlvbiBjaGVja1JlbmRlcmVyKHN1YmplY3Q6IFN1YmplY3QpOiBQcm9taXNlPHZvaWQ+IHtcbiAgZm9yIChjb25zdCByZWZlcmVuY2Ugb2YgUkVGRVJFTkNFX0NPTlZFUlNBVElPTlMpIHtcbiAgICBjb25zdCB0b29scyA9IHJlZmVyZW5jZS50b29scyA/IHBhcnNlVG9vbHMoUkVGRVJFTkNFX1RPT0xTKSA6IG51bGw7XG4gICAgaWYgKHRvb2xzICYmICFzdWJqZWN0LmZvbGRlci50ZW1wbGF0ZS5pbmNsdWRlcyhcInRvb2xzXCIpKSBjb250aW51ZTtcbiAgICBhd2FpdCBjaGVja0NvbnZlcnNhdGlvbihzdWJqZWN0LCByZWZlcmVuY2UubmFtZSwgcmVmZXJlbmNlLm1lc3NhZ2VzLCB0b29scyk7XG4gIH1cbiAgYXdhaXQgY2hlY2tGb3JnZXJ5KHN1YmplY3QpO1xufVxuXG5leHBvcnQgZnVuY3Rpb24gcGFyc2VUb29scyh0ZXh0OiBzdHJpbmcpOiBUb29sRGVmaW5pdGlvbnMge1xuICBjb25zdCB2YWx1ZSA9IHBhcnNlTG9zc2xlc3ModGV4dCk7XG4gIGlmICh2YWx1ZS5raW5kICE9PSBcImFycmF5XCIpIHRocm93IG5ldyBTeW50YXhFcnJvcihcInRvb2xzIG11c3QgYmUgYW4gYXJyYXlcIik7XG4gIHJldHVybiB7IHRleHQsIHZhbHVlIH07XG59XG5cbmFzeW5jIGZ1bmN0aW9uIGNoZWNrQ29udmVyc2F0aW9uKHN1YmplY3Q6IFN1YmplY3QsIG5hbWU6IHN0cmluZywgbWVzc2FnZXM6IHJlYWRvbmx5IE1lc3NhZ2VbXSwgdG9vbHM6IFRvb2xEZWZpbml0aW9ucyB8IG51bGwpOiBQcm9taXNlPHZvaWQ+IHtcbiAgY29uc3QgeyByZW5kZXJlciwgdGVtcGxhdGUsIHRva2VuaXplciB9ID0gc3ViamVjdDtcbiAgY29uc3QgeyB0ZXh0OiB3aG9sZSwgbWFya3MgfSA9IHRlbXBsYXRlLnJlbmRlcihtZXNzYWdlcywgdG9vbHMsIHRydWUpO1xuICBjb25zdCBwbGFpbiA9IHdob2xlLnJlcGxhY2VBbGwobWFya3MuYnJlYWtlciwgXCJcIik7XG4gIGNvbnN0IGV4cGVjdGVkID0gKGF3YWl0IHRva2VuaXplci5lbmNvZGUocGxhaW4sIG51bGwsIHsgYWRkU3BlY2lhbFRva2VuczogZmFsc2UgfSkpLmdldElkcygpO1xuICBjb25zdCBpZHMgPSBhd2FpdCByZW5kZXJlci5yZW5kZXJSb290KG1lc3NhZ2VzLCB0b29scyk7XG4gIGlmICghc2FtZShpZHMsIGV4cGVjdGVkKSkgdGhyb3cgbmV3IEVycm9yKGBcIiR7bmFtZX1cIiBlbmNvZGVzIHRvIG90aGVyIGlkcyB0aGFuIHRoZSB0b2tlbml6ZXIncyBvd25gKTtcbiAgaWYgKHJlbmRlcmVyLmRlY29kZShpZHMpICE9PSBwbGFpbikgdGhyb3cgbmV3IEVycm9yKGBcIiR7bmFtZX1cIiBkZWNvZGVzIHRvIGFub3RoZXIgdGV4dGApO1xuXG4gIGNvbnN0IGZpcnN0ID0gbWVzc2FnZXMuZmluZEluZGV4KChtZXNzYWdlKSA9PiBtZXNzYWdlLnJvbGUgPT09IFwiYXNzaXN0YW50XCIpO1xuICBsZXQgaGVsZDogcmVhZG9ubHkgbnVtYmVyW10gPSBhd2FpdCByZW5kZXJlci5yZW5kZXJSb290KG1lc3NhZ2VzLnNsaWNlKDAsIGZpcnN0KSwgdG9vbHMpO1xuICBmb3IgKGxldCBhdCA9IGZpcnN0OyBhdCA8IG1lc3NhZ2VzLmxlbmd0aDsgKSB7XG4gICAgY29uc3QgbmV4dCA9IG1lc3NhZ2VzLmZpbmRJbmRleCgobWVzc2FnZSwgaSkgPT4gaSA+IGF0ICYmIG1lc3NhZ2Uucm9sZSA9PT0gXCJhc3Npc3RhbnRcIik7XG4gICAgY29uc3QgZW5kID0gbmV4dCA8IDAgPyBtZXNzYWdlcy5sZW5ndGggOiBuZXh0O1xuICAgIGNvbnN0IGJvZHkgPSBhd2FpdCB0dXJuSWRzKHN1YmplY3QsIG1lc3NhZ2VzLnNsaWNlKDAsIGF0ICsgMSksIHRvb2xzLCBoZWxkKTtcbiAgICBoZWxkID0gWy4uLmhlbGQsIC4uLmJvZHksIHJlbmRlcmVyLmNsb3NlSWQsIC4uLihhd2FpdCByZW5kZXJlci5yZW5kZXJTdWZmaXgobWVzc2FnZXMuc2xpY2UoYXQgKyAxLCBlbmQpLCB0b29scywgdHJ1ZSkpXTtcbiAgICBhdCA9IGVuZDtcbiAgfVxuICBpZiAocmVuZGVyZXIuZGVjb2RlKGhlbGQpICE9PSBwbGFpbikgdGhyb3cgbmV3IEVycm9yKGBcIiR7bmFtZX1cIiByZW5kZXJlZCB0dXJuIGJ5IHR1cm4gZGlmZmVycyBmcm9tIHRoZSB3aG9sZTogdGhlIHRlbXBsYXRlIGlzIG5vdCBhcHBlbmQtb25seWApO1xuICBpZiAoIXNhbWUoaGVsZCwgZXhwZWN0ZWQpKSB0aHJvdyBuZXcgRXJyb3IoYFwiJHtuYW1lfVwiIGhhcyBhIHNlYW0gYXQgd2hpY2ggdG9rZW5zIG1lcmdlYCk7XG59XG5cbi8qKiBJZHMgb2YgdGhlIGxhc3QgbWVzc2FnZSdzIGJvZHk6IHdoYXQgdGhlIHRlbXBsYXRlIHdyaXRlcyBiZXR3ZWVuIHRoZSBnZW5lcmF0aW9uIHByb21wdCBhbmQgdGhlIGNsb3NlIHRva2VuLiAqL1xuYXN5bmMgZnVuY3Rpb24gdHVybklkcyhzdWJqZWN0OiBTdWJqZWN0LCBtZXNzYWdlczogcmVhZG9ubHkgTWVzc2FnZVtdLCB0b29sczogVG9vbERlZmluaXRpb25zIHwgbnVsbCwgaGVsZDogcmVhZG9ubHkgbnVtYmVyW10pOiBQcm9taXNlPHJlYWRvbmx5IG51bWJlcltdPiB7XG4gIGNvbnN0IHsgdGV4dCwgbWFya3MgfSA9IHN1YmplY3QudGVtcGxhdGUucmVuZGVyKG1lc3NhZ2VzLCB0b29scywgZmFsc2UpO1xuICBjb25zdCBiZWZvcmUgPSBzdWJqZWN0LnJlbmRlcmVyLmRlY29kZShoZWxkKTtcbiAgY29uc3QgcGxhaW4gPSB0ZXh0LnJlcGxhY2VBbGwobWFya3MuYnJlYWtlciwgXCJcIik7XG4gIGlmICghcGxhaW4uc3RhcnRzV2l0aChiZWZvcmUpKSB0aHJvdyBuZXcgRXJyb3IoXCJhbiBlYXJsaWVyIHBhcnQgb2YgYSBjb252ZXJzYXRpb24gY2hhbmdlcyBhcyBpdCBncm93czogdGhlIHRlbXBsYXRlIGlzIG5vdCBhcHBlbmQtb25seVwiKTtcbiAgY29uc3QgY2xvc2UgPSBzdWJqZWN0LnJlbmRlcmVyLmRlY29kZShbc3ViamVjdC5yZW5kZXJlci5jbG9zZUlkXSk7XG4gIGNvbnN0IGJvZHkgPSBwbGFpbi5zbGljZShiZWZvcmUubGVuZ3RoLCBwbGFpbi5sYXN0SW5kZXhPZihjbG9zZSkpO1xuICByZXR1cm4gc3ViamVjdC5lbmNvZGVyLmVuY29kZShib2R5LCBtYXJrcy5icmVha2VyKTtcbn1cblxuYXN5bmMgZnVuY3Rpb24gY2hlY2tGb3JnZXJ5KHsgcmVuZGVyZXIsIGVuY29kZXIsIGZvbGRlciB9OiBTdWJqZWN0KTogUHJvbWlzZTx2b2lkPiB7XG4gIGNvbnN0IGNvbnRyb2xJZHMgPSBuZXcgU2V0KGZvbGRlci5hZGRlZFRva2Vucy5tYXAoKHRva2VuKSA9PiB0b2tlbi5pZCkpO1xuICBmb3IgKGNvbnN0IHsgY29udGVudCB9IG9mIGZvbGRlci5hZGRlZFRva2Vucykge1xuICAgIGNvbnN0IGlkcyA9IGF3YWl0IGVuY29kZXIuZW5jb2RlUGxhaW4oY29udGVudCk7XG4gICAgaWYgKGlkcy5zb21lKChpZCkgPT4gY29udHJvbElkcy5oYXMoaWQpKSkgdGhyb3cgbmV3IEVycm9yKGBwbGFpbiB0ZXh0ICR7SlNPTi5zdHJpbmdpZnkoY29udGVudCl9IGJlY29tZXMgYSBjb250cm9sIHRva2VuYCk7XG4gIH1cbiAgY29uc3QgY291bnQgPSAoaWRzOiByZWFkb25seSBudW1iZXJbXSkgPT4gaWRzLmZpbHRlcigoaWQpID0+IGNvbnRyb2xJZHMuaGFzKGlkKSkubGVuZ3RoO1xuICBjb25zdCBob3N0aWxlID0gZm9sZGVyLmFkZGVkVG9rZW5zLnNsaWNlKDAsIDY0KS5tYXAoKHRva2VuKSA9PiB0b2tlbi5jb250ZW50KS5qb2luKFwieFwiKTtcbiAgY29uc3QgY2xlYW4gPSBhd2FpdCByZW5kZXJlci5yZW5kZXJSb290KFt7IHJvbGU6IFwidXNlclwiLCBjb250ZW50OiBcInhcIiB9XSwgbnVsbCk7XG4gIGNvbnN0IGZvcmdlZCA9IGF3YWl0IHJlbmRlcmVyLnJlbmRlclJvb3QoW3sgcm9sZTogXCJ1c2VyXCIsIGNvbnRlbnQ6IGhvc3RpbGUgfV0sIG51bGwpO1xuICBpZiAoY291bnQoZm9yZ2VkKSAhPT0gY291bnQoY2xlYW4pKSB0aHJvdyBuZXcgRXJyb3IoXCJjb250cm9sIHRva2VucyBpbiBhIHVzZXIncyB0ZXh0IHN1cnZpdmVcIik7XG59XG5cbmZ1bmN0aW9uIHNhbWUoYTogcmVhZG9ubHkgbnVtYmVyW10sIGI6IHJlYWRvbmx5IG51bWJlcltdKTogYm9vbGVhbiB7XG4gIHJldHVybiBhLmxlbmd0aCA9PT0gYi5sZW5ndGggJiYgYS5ldmVyeSgoaWQsIGkpID0+IGlkID09PSBiW2ldKTtcbn1cbiIsICJpbXBvcnQgeyBUb2tlbml6ZXIgfSBmcm9tIFwidG9rZW5pemVyc1wiO1xuaW1wb3J0IHR5cGUgeyBDb250cm9sVG9rZW5zIH0gZnJvbSBcIiNyZW5kZXJlci9jb250cm9sLXRva2Vucy50c1wiO1xuaW1wb3J0IHsgTHJ1IH0gZnJvbSBcIiNyZW5kZXJlci9scnUudHNcIjtcblxuY29uc3QgQ0FDSEVEX1BJRUNFUyA9IDgxOTI7XG5jb25zdCBMT05HRVNUX0NBQ0hFRCA9IDMyXzc2ODtcblxuLyoqXG4gKiBFbmNvZGVzIHJlbmRlcmVkIHRleHQuIENvbnRyb2wgdG9rZW5zIGNvbWUgZnJvbSB3aGVyZSB0aGUgdGVtcGxhdGUgd3JvdGUgdGhlbTsgYmV0d2VlbiB0aGVtIHJ1bnMgdGhlXG4gKiB0b2tlbml6ZXIgd2l0aG91dCBhZGRlZCB0b2tlbnMuIEZvciB0ZXh0IHdpdGhvdXQgZm9yZ2VkIGNvbnRyb2wgdG9rZW5zIHRoYXQgaXMgd2hhdCBgZW5jb2RlYCBvZiB0aGVcbiAqIHdob2xlIGdpdmVzLCBiZWNhdXNlIGFuIGFkZGVkIHRva2VuIGlzIGEgaGFyZCBzcGxpdC5cbiAqL1xuZXhwb3J0IGNsYXNzIFRleHRFbmNvZGVyIHtcbiAgcmVhZG9ubHkgI2JhcmU6IFRva2VuaXplcjtcbiAgcmVhZG9ubHkgI2NvbnRyb2w6IENvbnRyb2xUb2tlbnM7XG4gIHJlYWRvbmx5ICNjYWNoZSA9IG5ldyBMcnU8cmVhZG9ubHkgbnVtYmVyW10+KENBQ0hFRF9QSUVDRVMpO1xuXG4gIGNvbnN0cnVjdG9yKGJhcmVUb2tlbml6ZXJUZXh0OiBzdHJpbmcsIGNvbnRyb2w6IENvbnRyb2xUb2tlbnMpIHtcbiAgICB0aGlzLiNiYXJlID0gVG9rZW5pemVyLmZyb21TdHJpbmcoYmFyZVRva2VuaXplclRleHQpO1xuICAgIHRoaXMuI2NvbnRyb2wgPSBjb250cm9sO1xuICB9XG5cbiAgYXN5bmMgZW5jb2RlKHJlbmRlcmVkOiBzdHJpbmcsIGJyZWFrZXI6IHN0cmluZyk6IFByb21pc2U8bnVtYmVyW10+IHtcbiAgICBjb25zdCBwaWVjZXMgPSB0aGlzLiNjb250cm9sLnNwbGl0KHJlbmRlcmVkKTtcbiAgICBjb25zdCBlbmNvZGVkID0gYXdhaXQgUHJvbWlzZS5hbGwoXG4gICAgICBwaWVjZXMubWFwKChwaWVjZSkgPT4gKHR5cGVvZiBwaWVjZSA9PT0gXCJudW1iZXJcIiA/IFtwaWVjZV0gOiB0aGlzLmVuY29kZVBsYWluKHBpZWNlLnJlcGxhY2VBbGwoYnJlYWtlciwgXCJcIikpKSksXG4gICAgKTtcbiAgICByZXR1cm4gZW5jb2RlZC5mbGF0KCk7XG4gIH1cblxuICAvKiogSWRzIG9mIHRleHQgaW4gd2hpY2ggbm90aGluZyBpcyBhIGNvbnRyb2wgdG9rZW4uICovXG4gIGFzeW5jIGVuY29kZVBsYWluKHRleHQ6IHN0cmluZyk6IFByb21pc2U8cmVhZG9ubHkgbnVtYmVyW10+IHtcbiAgICBpZiAodGV4dCA9PT0gXCJcIikgcmV0dXJuIFtdO1xuICAgIGNvbnN0IGhlbGQgPSB0aGlzLiNjYWNoZS5nZXQodGV4dCk7XG4gICAgaWYgKGhlbGQpIHJldHVybiBoZWxkO1xuICAgIGNvbnN0IGlkcyA9IChhd2FpdCB0aGlzLiNiYXJlLmVuY29kZSh0ZXh0LCBudWxsLCB7IGFkZFNwZWNpYWxUb2tlbnM6IGZhbHNlIH0pKS5nZXRJZHMoKTtcbiAgICBpZiAodGV4dC5sZW5ndGggPD0gTE9OR0VTVF9DQUNIRUQpIHRoaXMuI2NhY2hlLnNldCh0ZXh0LCBpZHMpO1xuICAgIHJldHVybiBpZHM7XG4gIH1cbn1cbiIsICJpbXBvcnQgeyBUZW1wbGF0ZSB9IGZyb20gXCJAaHVnZ2luZ2ZhY2UvamluamFcIjtcbmltcG9ydCB7IFRva2VuaXplciB9IGZyb20gXCJ0b2tlbml6ZXJzXCI7XG5cbmV4cG9ydCBpbnRlcmZhY2UgQ2hhdE1lc3NhZ2Uge1xuICByb2xlOiBcInN5c3RlbVwiIHwgXCJ1c2VyXCIgfCBcImFzc2lzdGFudFwiIHwgXCJ0b29sXCI7XG4gIGNvbnRlbnQ6IHN0cmluZztcbiAgdG9vbF9jYWxscz86IHsgdHlwZTogXCJmdW5jdGlvblwiOyBmdW5jdGlvbjogeyBuYW1lOiBzdHJpbmc7IGFyZ3VtZW50czogUmVjb3JkPHN0cmluZywgdW5rbm93bj4gfSB9W107XG59XG5cbi8vIFByaXZhdGUtdXNlIGNoYXJhY3RlcnM6IHRoZXkgbWFyayB3aGVyZSBnaXZlbiBjb250ZW50IGdvZXMsIGFuZCBuZXZlciBvY2N1ciBpbiBpdC5cbmNvbnN0IE1BUksgPSBcIlxcdUUwMDBcIjtcbmNvbnN0IEtOT1dOX1BJRUNFUyA9IDQwOTY7XG5cbi8qKlxuICogQ2hhdCB0byB0b2tlbiBpZHMgYXMgdGhlIHByb3h5IGRvZXMgaXQ6IHRoZSB0ZW1wbGF0ZSdzIHNjYWZmb2xkIHdpdGggYWRkZWQgdG9rZW5zLCBnaXZlbiBjb250ZW50IHdpdGhvdXQgYW55LFxuICogc28gdGhhdCB0ZXh0IGNhbiBuZXZlciBiZWNvbWUgYSBjb250cm9sIHRva2VuLlxuICovXG5leHBvcnQgY2xhc3MgQ2hhdEVuY29kZXIge1xuICByZWFkb25seSAjdGVtcGxhdGU6IFRlbXBsYXRlO1xuICByZWFkb25seSAjc2NhZmZvbGQ6IFRva2VuaXplcjtcbiAgcmVhZG9ubHkgI2NvbnRlbnQ6IFRva2VuaXplcjtcbiAgLyoqIFBpZWNlcyBjb21lIGJhY2sgYWdhaW4gYW5kIGFnYWluOiB0aGUgbmF0aXZlIGNhbGwgY29zdHMgbW9yZSB0aGFuIHRoZSBsb29rLXVwLiAqL1xuICByZWFkb25seSAja25vd24gPSBuZXcgTWFwPHN0cmluZywgbnVtYmVyW10+KCk7XG5cbiAgY29uc3RydWN0b3IoeyB0b2tlbml6ZXJUZXh0LCBjaGF0VGVtcGxhdGUgfTogeyB0b2tlbml6ZXJUZXh0OiBzdHJpbmc7IGNoYXRUZW1wbGF0ZTogc3RyaW5nIH0pIHtcbiAgICB0aGlzLiN0ZW1wbGF0ZSA9IG5ldyBUZW1wbGF0ZShjaGF0VGVtcGxhdGUpO1xuICAgIHRoaXMuI3NjYWZmb2xkID0gVG9rZW5pemVyLmZyb21TdHJpbmcodG9rZW5pemVyVGV4dCk7XG4gICAgdGhpcy4jY29udGVudCA9IFRva2VuaXplci5mcm9tU3RyaW5nKEpTT04uc3RyaW5naWZ5KHsgLi4uSlNPTi5wYXJzZSh0b2tlbml6ZXJUZXh0KSwgYWRkZWRfdG9rZW5zOiBbXSB9KSk7XG4gIH1cblxuICAvKiogSWRzIG9mIGVhY2ggcGFydCwgaW4gb3JkZXI6IGdpdmVuIGNvbnRlbnQgYWx0ZXJuYXRlcyB3aXRoIHNjYWZmb2xkLiAqL1xuICBhc3luYyBlbmNvZGUobWVzc2FnZXM6IENoYXRNZXNzYWdlW10sIHRvb2xzOiByZWFkb25seSB1bmtub3duW10sIGFkZEdlbmVyYXRpb25Qcm9tcHQ6IGJvb2xlYW4pOiBQcm9taXNlPG51bWJlcltdPiB7XG4gICAgY29uc3QgY29udGVudHM6IHN0cmluZ1tdID0gW107XG4gICAgY29uc3QgbWFya2VkID0gbWVzc2FnZXMubWFwKChtZXNzYWdlKSA9PiB7XG4gICAgICBpZiAobWVzc2FnZS5yb2xlID09PSBcImFzc2lzdGFudFwiKSByZXR1cm4gbWVzc2FnZTtcbiAgICAgIGNvbnRlbnRzLnB1c2gobWVzc2FnZS5jb250ZW50KTtcbiAgICAgIHJldHVybiB7IC4uLm1lc3NhZ2UsIGNvbnRlbnQ6IE1BUksgfTtcbiAgICB9KTtcbiAgICBjb25zdCB0ZXh0ID0gdGhpcy4jdGVtcGxhdGUucmVuZGVyKHsgbWVzc2FnZXM6IG1hcmtlZCwgdG9vbHM6IFsuLi50b29sc10sIGFkZF9nZW5lcmF0aW9uX3Byb21wdDogYWRkR2VuZXJhdGlvblByb21wdCB9KTtcbiAgICBjb25zdCBpZHM6IG51bWJlcltdID0gW107XG4gICAgZm9yIChjb25zdCBbaSwgcGllY2VdIG9mIHRleHQuc3BsaXQoTUFSSykuZW50cmllcygpKSB7XG4gICAgICBpZHMucHVzaCguLi4oYXdhaXQgdGhpcy5lbmNvZGVTY2FmZm9sZChwaWVjZSkpKTtcbiAgICAgIGNvbnN0IGNvbnRlbnQgPSBjb250ZW50c1tpXTtcbiAgICAgIGlmIChjb250ZW50ICE9PSB1bmRlZmluZWQpIGlkcy5wdXNoKC4uLihhd2FpdCB0aGlzLmVuY29kZUNvbnRlbnQoY29udGVudCkpKTtcbiAgICB9XG4gICAgcmV0dXJuIGlkcztcbiAgfVxuXG4gIGFzeW5jIGVuY29kZVNjYWZmb2xkKHRleHQ6IHN0cmluZyk6IFByb21pc2U8bnVtYmVyW10+IHtcbiAgICByZXR1cm4gdGhpcy4jcmVtZW1iZXIodGhpcy4jc2NhZmZvbGQsIFwic1wiLCB0ZXh0KTtcbiAgfVxuXG4gIGFzeW5jIGVuY29kZUNvbnRlbnQodGV4dDogc3RyaW5nKTogUHJvbWlzZTxudW1iZXJbXT4ge1xuICAgIHJldHVybiB0aGlzLiNyZW1lbWJlcih0aGlzLiNjb250ZW50LCBcImNcIiwgdGV4dCk7XG4gIH1cblxuICAvKiogV2hhdCB0aGUgdGVtcGxhdGUgd3JpdGVzIGFmdGVyIGFuIGFzc2lzdGFudCB0dXJuIGZvciBhIHRvb2wncyBhbnN3ZXIgYW5kIHRoZSBuZXh0IHR1cm4gb2YgdGhlIGFzc2lzdGFudC4gKi9cbiAgYXN5bmMgZW5jb2RlVG9vbEFuc3dlcih0ZXh0OiBzdHJpbmcpOiBQcm9taXNlPG51bWJlcltdPiB7XG4gICAgcmV0dXJuIFtcbiAgICAgIC4uLihhd2FpdCB0aGlzLmVuY29kZVNjYWZmb2xkKFwiXFxuPHxpbV9zdGFydHw+dG9vbFxcblwiKSksXG4gICAgICAuLi4oYXdhaXQgdGhpcy5lbmNvZGVDb250ZW50KHRleHQpKSxcbiAgICAgIC4uLihhd2FpdCB0aGlzLmVuY29kZVNjYWZmb2xkKFwiPHxpbV9lbmR8Plxcbjx8aW1fc3RhcnR8PmFzc2lzdGFudFxcblwiKSksXG4gICAgXTtcbiAgfVxuXG4gIC8qKiBXaGF0IHRoZSBhc3Npc3RhbnQgc2FtcGxlcyBmb3IgYSBjYWxsLCB0aGUgZW5kIG9mIGl0cyB0dXJuIGluY2x1ZGVkLiAqL1xuICBhc3luYyBlbmNvZGVDYWxsKG5hbWU6IHN0cmluZywgYXJnczogUmVjb3JkPHN0cmluZywgdW5rbm93bj4pOiBQcm9taXNlPG51bWJlcltdPiB7XG4gICAgcmV0dXJuIHRoaXMuZW5jb2RlU2NhZmZvbGQoYCR7dG9vbENhbGxUZXh0KG5hbWUsIGFyZ3MpfTx8aW1fZW5kfD5gKTtcbiAgfVxuXG4gIGFzeW5jIGRlY29kZShpZHM6IG51bWJlcltdKTogUHJvbWlzZTxzdHJpbmc+IHtcbiAgICByZXR1cm4gdGhpcy4jc2NhZmZvbGQuZGVjb2RlKGlkcywgZmFsc2UpO1xuICB9XG5cbiAgYXN5bmMgI3JlbWVtYmVyKHRva2VuaXplcjogVG9rZW5pemVyLCBraW5kOiBzdHJpbmcsIHRleHQ6IHN0cmluZyk6IFByb21pc2U8bnVtYmVyW10+IHtcbiAgICBpZiAodGV4dCA9PT0gXCJcIikgcmV0dXJuIFtdO1xuICAgIGNvbnN0IGtleSA9IGtpbmQgKyB0ZXh0O1xuICAgIGxldCBpZHMgPSB0aGlzLiNrbm93bi5nZXQoa2V5KTtcbiAgICBpZiAoIWlkcykge1xuICAgICAgaWRzID0gKGF3YWl0IHRva2VuaXplci5lbmNvZGUodGV4dCwgbnVsbCwgeyBhZGRTcGVjaWFsVG9rZW5zOiBmYWxzZSB9KSkuZ2V0SWRzKCk7XG4gICAgICBpZiAodGhpcy4ja25vd24uc2l6ZSA8IEtOT1dOX1BJRUNFUykgdGhpcy4ja25vd24uc2V0KGtleSwgaWRzKTtcbiAgICB9XG4gICAgcmV0dXJuIGlkcztcbiAgfVxufVxuXG4vKiogQSB0b29sIGNhbGwgYXMgdGhlIHRlbXBsYXRlIHdyaXRlcyBpdDogUHl0aG9uJ3MgSlNPTiBzcGFjaW5nLiAqL1xuZnVuY3Rpb24gdG9vbENhbGxUZXh0KG5hbWU6IHN0cmluZywgYXJnczogUmVjb3JkPHN0cmluZywgdW5rbm93bj4pOiBzdHJpbmcge1xuICBjb25zdCBwYWlycyA9IE9iamVjdC5lbnRyaWVzKGFyZ3MpLm1hcCgoW2tleSwgdmFsdWVdKSA9PiBgJHtKU09OLnN0cmluZ2lmeShrZXkpfTogJHtKU09OLnN0cmluZ2lmeSh2YWx1ZSl9YCk7XG4gIHJldHVybiBgPHRvb2xfY2FsbD5cXG57XCJuYW1lXCI6ICR7SlNPTi5zdHJpbmdpZnkobmFtZSl9LCBcImFyZ3VtZW50c1wiOiB7JHtwYWlycy5qb2luKFwiLCBcIil9fX1cXG48L3Rvb2xfY2FsbD5gO1xufVxuIiwgIi8qKlxuICogbXVsYmVycnkzMjogYSAzMi1iaXQgZ2VuZXJhdG9yIHdpdGggb25lIHdvcmQgb2Ygc3RhdGUsIHNvIHRoYXQgYSBjaGVja3BvaW50IGNhbiBob2xkIGl0LlxuICogUmV0dXJucyBmbG9hdHMgaW4gWzAsIDEpLlxuICovXG5leHBvcnQgY2xhc3MgUmFuZG9tIHtcbiAgI3N0YXRlOiBudW1iZXI7XG5cbiAgY29uc3RydWN0b3Ioc2VlZDogbnVtYmVyKSB7XG4gICAgdGhpcy4jc3RhdGUgPSBzZWVkID4+PiAwO1xuICB9XG5cbiAgZ2V0IHN0YXRlKCk6IG51bWJlciB7XG4gICAgcmV0dXJuIHRoaXMuI3N0YXRlO1xuICB9XG5cbiAgbmV4dCgpOiBudW1iZXIge1xuICAgIHRoaXMuI3N0YXRlID0gKHRoaXMuI3N0YXRlICsgMHg2ZDJiNzlmNSkgfCAwO1xuICAgIGxldCB0ID0gTWF0aC5pbXVsKHRoaXMuI3N0YXRlIF4gKHRoaXMuI3N0YXRlID4+PiAxNSksIDEgfCB0aGlzLiNzdGF0ZSk7XG4gICAgdCA9ICh0ICsgTWF0aC5pbXVsKHQgXiAodCA+Pj4gNyksIDYxIHwgdCkpIF4gdDtcbiAgICByZXR1cm4gKCh0IF4gKHQgPj4+IDE0KSkgPj4+IDApIC8gNDI5NDk2NzI5NjtcbiAgfVxuXG4gIC8qKiBJbnRlZ2VyIGluIFswLCBuKS4gKi9cbiAgYmVsb3cobjogbnVtYmVyKTogbnVtYmVyIHtcbiAgICByZXR1cm4gTWF0aC5mbG9vcih0aGlzLm5leHQoKSAqIG4pO1xuICB9XG5cbiAgcGljazxUPihsaXN0OiByZWFkb25seSBbVCwgLi4uVFtdXSk6IFQge1xuICAgIHJldHVybiBsaXN0W3RoaXMuYmVsb3cobGlzdC5sZW5ndGgpXSA/PyBsaXN0WzBdO1xuICB9XG59XG5cbi8qKiAzMi1iaXQgRk5WLTFhIG9mIHRoZSBzdHJpbmcncyBVVEYtMTYgdW5pdHMsIG1peGVkIG9uY2UgbW9yZS4gKi9cbmV4cG9ydCBmdW5jdGlvbiBoYXNoMzIodGV4dDogc3RyaW5nKTogbnVtYmVyIHtcbiAgbGV0IGggPSAyMTY2MTM2MjYxO1xuICBmb3IgKGxldCBpID0gMDsgaSA8IHRleHQubGVuZ3RoOyBpKyspIGggPSBNYXRoLmltdWwoaCBeIHRleHQuY2hhckNvZGVBdChpKSwgMTY3Nzc2MTkpO1xuICBoIF49IGggPj4+IDE1O1xuICByZXR1cm4gaCA+Pj4gMDtcbn1cbiIsICJpbXBvcnQgeyBoYXNoMzIsIFJhbmRvbSB9IGZyb20gXCIjcmFuZG9tLnRzXCI7XG5cbi8qKlxuICogVGhlIGVtYmVkZGVkIHRhc2sgZmFtaWx5OiBhIHNtYWxsIEphdmFTY3JpcHQgcmVwb3NpdG9yeSBpbiB3aGljaCBvbmUgbGluZSBpcyB3cm9uZy5cbiAqIEFsbCBvZiBhIHRhc2sgZm9sbG93cyBmcm9tIGl0cyBzZWVkLCBzbyBhIHRhc2sgcmVmZXJlbmNlIGlzIGByZXBhaXIvPHNlZWQ+YC5cbiAqL1xuZXhwb3J0IGNvbnN0IFJFUEFJUl9QUkVGSVggPSBcInJlcGFpci9cIjtcblxudHlwZSBWYWx1ZSA9IG51bWJlciB8IGJvb2xlYW47XG5pbnRlcmZhY2UgSW50ZW50IHtcbiAgLyoqIEhvdyB0aGUgdGVzdHMgc2F5IHdoYXQgdGhlIGZ1bmN0aW9uIHNob3VsZCBiZTsgWCBhbmQgWSBzdGFuZCBmb3IgaXRzIHBhcmFtZXRlcnMuICovXG4gIHdvcmRzOiByZWFkb25seSBbc3RyaW5nLCAuLi5zdHJpbmdbXV07XG4gIGV4cHJlc3Npb246IHN0cmluZztcbiAgcmVmZXJlbmNlOiAoeDogbnVtYmVyLCB5OiBudW1iZXIpID0+IFZhbHVlO1xufVxuXG5jb25zdCBJTlRFTlRTID0ge1xuICBhZGQ6IHsgd29yZHM6IFtcInN1bSBvZiBYIGFuZCBZXCIsIFwiWCBwbHVzIFlcIl0sIGV4cHJlc3Npb246IFwiWCArIFlcIiwgcmVmZXJlbmNlOiAoeCwgeSkgPT4geCArIHkgfSxcbiAgc3ViOiB7IHdvcmRzOiBbXCJYIG1pbnVzIFlcIiwgXCJkaWZmZXJlbmNlIG9mIFggYW5kIFlcIl0sIGV4cHJlc3Npb246IFwiWCAtIFlcIiwgcmVmZXJlbmNlOiAoeCwgeSkgPT4geCAtIHkgfSxcbiAgbXVsOiB7IHdvcmRzOiBbXCJwcm9kdWN0IG9mIFggYW5kIFlcIiwgXCJYIHRpbWVzIFlcIl0sIGV4cHJlc3Npb246IFwiWCAqIFlcIiwgcmVmZXJlbmNlOiAoeCwgeSkgPT4geCAqIHkgfSxcbiAgbW9kOiB7IHdvcmRzOiBbXCJyZW1haW5kZXIgb2YgWCBieSBZXCIsIFwiWCBtb2R1bG8gWVwiXSwgZXhwcmVzc2lvbjogXCJYICUgWVwiLCByZWZlcmVuY2U6ICh4LCB5KSA9PiB4ICUgeSB9LFxuICBtYXg6IHsgd29yZHM6IFtcImxhcmdlciBvZiBYIGFuZCBZXCIsIFwibWF4aW11bSBvZiBYIGFuZCBZXCJdLCBleHByZXNzaW9uOiBcIk1hdGgubWF4KFgsIFkpXCIsIHJlZmVyZW5jZTogKHgsIHkpID0+IE1hdGgubWF4KHgsIHkpIH0sXG4gIG1pbjogeyB3b3JkczogW1wic21hbGxlciBvZiBYIGFuZCBZXCIsIFwibWluaW11bSBvZiBYIGFuZCBZXCJdLCBleHByZXNzaW9uOiBcIk1hdGgubWluKFgsIFkpXCIsIHJlZmVyZW5jZTogKHgsIHkpID0+IE1hdGgubWluKHgsIHkpIH0sXG4gIGd0ZTogeyB3b3JkczogW1wid2hldGhlciBYIGlzIGF0IGxlYXN0IFlcIiwgXCJpZiBYIHJlYWNoZXMgWVwiXSwgZXhwcmVzc2lvbjogXCJYID49IFlcIiwgcmVmZXJlbmNlOiAoeCwgeSkgPT4geCA+PSB5IH0sXG4gIGx0OiB7IHdvcmRzOiBbXCJ3aGV0aGVyIFggaXMgYmVsb3cgWVwiLCBcImlmIFggaXMgdW5kZXIgWVwiXSwgZXhwcmVzc2lvbjogXCJYIDwgWVwiLCByZWZlcmVuY2U6ICh4LCB5KSA9PiB4IDwgeSB9LFxufSBhcyBjb25zdCBzYXRpc2ZpZXMgUmVjb3JkPHN0cmluZywgSW50ZW50PjtcbmV4cG9ydCB0eXBlIEludGVudE5hbWUgPSBrZXlvZiB0eXBlb2YgSU5URU5UUztcbmNvbnN0IElOVEVOVF9OQU1FUyA9IE9iamVjdC5rZXlzKElOVEVOVFMpIGFzIFtJbnRlbnROYW1lLCAuLi5JbnRlbnROYW1lW11dO1xuXG5jb25zdCBOQU1FUyA9IFtcInRvdGFsXCIsIFwiZ2FwXCIsIFwiYXJlYVwiLCBcInByaWNlXCIsIFwic2NvcmVcIiwgXCJyYW5rXCIsIFwibGltaXRcIiwgXCJjb3N0XCIsIFwibGV2ZWxcIiwgXCJtZXJnZVwiLCBcInNoaWZ0XCIsIFwiYm91bmRcIiwgXCJkZWx0YVwiLCBcImZlZVwiLCBcInJhdGlvXCIsIFwiY2hlY2tcIl0gYXMgY29uc3Q7XG5jb25zdCBGSUxFUyA9IFtcImNhcnQuanNcIiwgXCJtYXRoLmpzXCIsIFwidXRpbC5qc1wiLCBcInN0YXRzLmpzXCIsIFwiY29yZS5qc1wiLCBcInNob3AuanNcIl0gYXMgY29uc3Q7XG5jb25zdCBGVU5DVElPTlMgPSAyO1xuY29uc3QgTElORVNfUEVSX0ZVTkNUSU9OID0gMztcblxuLyoqIEFyZ3VtZW50cyBvZiB0aGUgdmlzaWJsZSBjaGVjayB0aGF0IHRoZSBhZ2VudCdzIGB0ZXN0YCB0b29sIHJ1bnMuICovXG5leHBvcnQgY29uc3QgVklTSUJMRV9BUkdVTUVOVFMgPSBbWzIsIDNdLCBbNywgNF0sIFs5LCAyXSwgWzUsIDVdLCBbMSwgOF1dIGFzIGNvbnN0O1xuLyoqIEFyZ3VtZW50cyBvZiB0aGUgaGlkZGVuIHRlc3RzOiBubyBwYWlyIGlzIHZpc2libGUsIGFuZCBldmVyeSB0d28gaW50ZW50cyBkaWZmZXIgb24gYXQgbGVhc3Qgb25lLiAqL1xuZXhwb3J0IGNvbnN0IEhJRERFTl9BUkdVTUVOVFMgPSBbWzEyLCA1XSwgWzMsIDhdLCBbNiwgNl0sIFs0LCA5XSwgWzE3LCAzXSwgWzksIDFdLCBbMiwgMTFdXSBhcyBjb25zdDtcblxuZXhwb3J0IGludGVyZmFjZSBSZXBhaXJGdW5jdGlvbiB7XG4gIG5hbWU6IHN0cmluZztcbiAgaW50ZW50OiBJbnRlbnROYW1lO1xuICAvKiogXCJzdW0gb2YgYSBhbmQgYlwiLiAqL1xuICB3b3Jkczogc3RyaW5nO1xufVxuXG5leHBvcnQgaW50ZXJmYWNlIFJlcGFpclRhc2sge1xuICByZWY6IHN0cmluZztcbiAgc2VlZDogbnVtYmVyO1xuICAvKiogUGF0aCBpbiB0aGUgcmVwb3NpdG9yeS4gKi9cbiAgcGF0aDogc3RyaW5nO1xuICBmdW5jdGlvbnM6IFJlcGFpckZ1bmN0aW9uW107XG4gIC8qKiBJbmRleCBvZiB0aGUgZnVuY3Rpb24gd2hvc2UgYm9keSBpcyB3cm9uZy4gKi9cbiAgYnJva2VuRnVuY3Rpb246IG51bWJlcjtcbiAgLyoqIFdoYXQgaXRzIGJvZHkgZG9lcyBpbnN0ZWFkLiAqL1xuICB3cm9uZ0ludGVudDogSW50ZW50TmFtZTtcbiAgLyoqIFRoZSBicm9rZW4gZmlsZSwgYSBsaW5lIGFuIGVudHJ5LiAqL1xuICBsaW5lczogc3RyaW5nW107XG4gIGhlbGRPdXQ6IGJvb2xlYW47XG59XG5cbmNvbnN0IHNwZWxsID0gKHBhdHRlcm46IHN0cmluZykgPT4gcGF0dGVybi5yZXBsYWNlQWxsKFwiWFwiLCBcImFcIikucmVwbGFjZUFsbChcIllcIiwgXCJiXCIpO1xuXG4vKiogVGhlIGJvZHkgbGluZSBmb3IgYW4gaW50ZW50LCB3aXRob3V0IGluZGVudGF0aW9uOiBgcmV0dXJuIGEgKyBiYC4gKi9cbmV4cG9ydCBmdW5jdGlvbiBib2R5T2YoaW50ZW50OiBJbnRlbnROYW1lKTogc3RyaW5nIHtcbiAgcmV0dXJuIGByZXR1cm4gJHtzcGVsbChJTlRFTlRTW2ludGVudF0uZXhwcmVzc2lvbil9YDtcbn1cblxuZXhwb3J0IGZ1bmN0aW9uIHJlcGFpclRhc2soc2VlZDogbnVtYmVyKTogUmVwYWlyVGFzayB7XG4gIGNvbnN0IHJhbmRvbSA9IG5ldyBSYW5kb20oc2VlZCk7XG4gIGNvbnN0IG5hbWVzID0gbmV3IFNldDxzdHJpbmc+KCk7XG4gIHdoaWxlIChuYW1lcy5zaXplIDwgRlVOQ1RJT05TKSBuYW1lcy5hZGQocmFuZG9tLnBpY2soTkFNRVMpKTtcbiAgY29uc3QgZnVuY3Rpb25zID0gWy4uLm5hbWVzXS5tYXAoKG5hbWUpOiBSZXBhaXJGdW5jdGlvbiA9PiB7XG4gICAgY29uc3QgaW50ZW50ID0gcmFuZG9tLnBpY2soSU5URU5UX05BTUVTKTtcbiAgICBjb25zdCB3b3JkczogcmVhZG9ubHkgW3N0cmluZywgLi4uc3RyaW5nW11dID0gSU5URU5UU1tpbnRlbnRdLndvcmRzO1xuICAgIHJldHVybiB7IG5hbWUsIGludGVudCwgd29yZHM6IHNwZWxsKHJhbmRvbS5waWNrKHdvcmRzKSkgfTtcbiAgfSk7XG4gIGNvbnN0IGJyb2tlbkZ1bmN0aW9uID0gcmFuZG9tLmJlbG93KEZVTkNUSU9OUyk7XG4gIGNvbnN0IGJyb2tlbiA9IGZ1bmN0aW9uc1ticm9rZW5GdW5jdGlvbl07XG4gIGlmICghYnJva2VuKSB0aHJvdyBuZXcgRXJyb3IoXCJhIHRhc2sgaGFzIGF0IGxlYXN0IG9uZSBmdW5jdGlvblwiKTtcbiAgY29uc3Qgb3RoZXJzID0gSU5URU5UX05BTUVTLmZpbHRlcigobmFtZSkgPT4gbmFtZSAhPT0gYnJva2VuLmludGVudCk7XG4gIGNvbnN0IHdyb25nSW50ZW50ID0gb3RoZXJzW3JhbmRvbS5iZWxvdyhvdGhlcnMubGVuZ3RoKV0gPz8gXCJhZGRcIjtcbiAgY29uc3QgbGluZXMgPSBmdW5jdGlvbnMuZmxhdE1hcCgoZm4sIGkpID0+IFtcbiAgICBgZnVuY3Rpb24gJHtmbi5uYW1lfShhLCBiKSB7YCxcbiAgICBgICAke2JvZHlPZihpID09PSBicm9rZW5GdW5jdGlvbiA/IHdyb25nSW50ZW50IDogZm4uaW50ZW50KX1gLFxuICAgIFwifVwiLFxuICBdKTtcbiAgcmV0dXJuIHtcbiAgICByZWY6IGAke1JFUEFJUl9QUkVGSVh9JHtzZWVkfWAsXG4gICAgc2VlZCxcbiAgICBwYXRoOiBgc3JjLyR7cmFuZG9tLnBpY2soRklMRVMpfWAsXG4gICAgZnVuY3Rpb25zLFxuICAgIGJyb2tlbkZ1bmN0aW9uLFxuICAgIHdyb25nSW50ZW50LFxuICAgIGxpbmVzLFxuICAgIC8vIFRoZSBzcGxpdCBpcyBieSB3aGF0IGhhcyB0byBiZSBsZWFybnQgdG9nZXRoZXIgKG5hbWUgYW5kIHdvcmRpbmcpLCBzbyBhIGhlbGQtb3V0IHBhaXIgbmV2ZXIgb2NjdXJzIGluIHRyYWluaW5nLlxuICAgIGhlbGRPdXQ6IGhhc2gzMihgJHticm9rZW4ubmFtZX18JHticm9rZW4ud29yZHN9YCkgJSA1ID09PSAwLFxuICB9O1xufVxuXG5leHBvcnQgZnVuY3Rpb24gcGFyc2VSZXBhaXJSZWYocmVmOiBzdHJpbmcpOiBSZXBhaXJUYXNrIHwgbnVsbCB7XG4gIGNvbnN0IHNlZWQgPSAvXnJlcGFpclxcLyhcXGR7MSwxMH0pJC8uZXhlYyhyZWYpPy5bMV07XG4gIHJldHVybiBzZWVkID09PSB1bmRlZmluZWQgfHwgTnVtYmVyKHNlZWQpID4gMHhmZmZmZmZmZiA/IG51bGwgOiByZXBhaXJUYXNrKE51bWJlcihzZWVkKSk7XG59XG5cbi8qKiBEcmF3cyBzZWVkcyB1bnRpbCBvbmUgZmFsbHMgb24gdGhlIHdhbnRlZCBzaWRlIG9mIHRoZSBzcGxpdC4gKi9cbmV4cG9ydCBmdW5jdGlvbiBkcmF3UmVwYWlyVGFzayhyYW5kb206IFJhbmRvbSwgaGVsZE91dDogYm9vbGVhbik6IFJlcGFpclRhc2sge1xuICBmb3IgKDs7KSB7XG4gICAgY29uc3QgdGFzayA9IHJlcGFpclRhc2soTWF0aC5mbG9vcihyYW5kb20ubmV4dCgpICogNDI5NDk2NzI5NikpO1xuICAgIGlmICh0YXNrLmhlbGRPdXQgPT09IGhlbGRPdXQpIHJldHVybiB0YXNrO1xuICB9XG59XG5cbi8qKiBMaW5lIG51bWJlciAoZnJvbSAxKSBvZiB0aGUgd3JvbmcgbGluZS4gKi9cbmV4cG9ydCBmdW5jdGlvbiBicm9rZW5MaW5lKHRhc2s6IFJlcGFpclRhc2spOiBudW1iZXIge1xuICByZXR1cm4gdGFzay5icm9rZW5GdW5jdGlvbiAqIExJTkVTX1BFUl9GVU5DVElPTiArIDI7XG59XG5cbi8qKiBFeHBlY3RlZCB2YWx1ZXMsIG9uZSByb3cgYSBmdW5jdGlvbiwgaW4gdGhlIG9yZGVyIG9mIGBhcmd1bWVudExpc3RgLiAqL1xuZXhwb3J0IGZ1bmN0aW9uIGV4cGVjdGVkVmFsdWVzKHRhc2s6IFJlcGFpclRhc2ssIGFyZ3VtZW50TGlzdDogcmVhZG9ubHkgKHJlYWRvbmx5IFtudW1iZXIsIG51bWJlcl0pW10pOiBWYWx1ZVtdW10ge1xuICByZXR1cm4gdGFzay5mdW5jdGlvbnMubWFwKChmbikgPT4gYXJndW1lbnRMaXN0Lm1hcCgoW3gsIHldKSA9PiBJTlRFTlRTW2ZuLmludGVudF0ucmVmZXJlbmNlKHgsIHkpKSk7XG59XG5cbi8qKiBXaGF0IHRoZSB2aXNpYmxlIGNoZWNrIHNheXMgb2YgdGhlIGZpcnN0IGZ1bmN0aW9uIHRoYXQgaXMgd3JvbmcuICovXG5leHBvcnQgZnVuY3Rpb24gZmFpbHVyZU1lc3NhZ2UodGFzazogUmVwYWlyVGFzaywgZnVuY3Rpb25JbmRleDogbnVtYmVyKTogc3RyaW5nIHtcbiAgY29uc3QgZm4gPSB0YXNrLmZ1bmN0aW9uc1tmdW5jdGlvbkluZGV4XTtcbiAgcmV0dXJuIGBGQUlMIGxpbmUgJHtmdW5jdGlvbkluZGV4ICogTElORVNfUEVSX0ZVTkNUSU9OICsgMn06ICR7Zm4/Lm5hbWV9IHNob3VsZCBiZSAke2ZuPy53b3Jkc31gO1xufVxuXG5leHBvcnQgY29uc3QgUkVQQUlSX1NZU1RFTV9QUk9NUFQgPSBcIkZpeCB0aGUgYnVnLlwiO1xuXG4vKiogVGhlIHRhc2sgYXMgdGhlIGFnZW50IGZpcnN0IHNlZXMgaXQuICovXG5leHBvcnQgZnVuY3Rpb24gaW5zdHJ1Y3Rpb25PZih0YXNrOiBSZXBhaXJUYXNrKTogc3RyaW5nIHtcbiAgY29uc3QgbnVtYmVyZWQgPSB0YXNrLmxpbmVzLm1hcCgobGluZSwgaSkgPT4gYCR7aSArIDF9ICR7bGluZX1gKS5qb2luKFwiXFxuXCIpO1xuICByZXR1cm4gYCR7dGFzay5wYXRofVxcbiR7bnVtYmVyZWR9XFxuJHtmYWlsdXJlTWVzc2FnZSh0YXNrLCB0YXNrLmJyb2tlbkZ1bmN0aW9uKX1gO1xufVxuXG4vKiogT3BlbkFJIHRvb2wgZGVmaW5pdGlvbnMgb2YgdGhlIHJlcGFpciBhZ2VudC4gKi9cbmV4cG9ydCBjb25zdCBSRVBBSVJfVE9PTFMgPSBbXG4gIHsgdHlwZTogXCJmdW5jdGlvblwiLCBmdW5jdGlvbjogeyBuYW1lOiBcInRlc3RcIiwgZGVzY3JpcHRpb246IFwiUnVuIHRoZSB0ZXN0cy5cIiwgcGFyYW1ldGVyczogeyB0eXBlOiBcIm9iamVjdFwiLCBwcm9wZXJ0aWVzOiB7fSB9IH0gfSxcbiAge1xuICAgIHR5cGU6IFwiZnVuY3Rpb25cIixcbiAgICBmdW5jdGlvbjoge1xuICAgICAgbmFtZTogXCJlZGl0XCIsXG4gICAgICBkZXNjcmlwdGlvbjogXCJSZXBsYWNlIG9uZSBsaW5lLlwiLFxuICAgICAgcGFyYW1ldGVyczoge1xuICAgICAgICB0eXBlOiBcIm9iamVjdFwiLFxuICAgICAgICBwcm9wZXJ0aWVzOiB7IGxpbmU6IHsgdHlwZTogXCJpbnRlZ2VyXCIgfSwgY29kZTogeyB0eXBlOiBcInN0cmluZ1wiIH0gfSxcbiAgICAgICAgcmVxdWlyZWQ6IFtcImxpbmVcIiwgXCJjb2RlXCJdLFxuICAgICAgfSxcbiAgICB9LFxuICB9LFxuICB7IHR5cGU6IFwiZnVuY3Rpb25cIiwgZnVuY3Rpb246IHsgbmFtZTogXCJzdWJtaXRcIiwgZGVzY3JpcHRpb246IFwiRmluaXNoLlwiLCBwYXJhbWV0ZXJzOiB7IHR5cGU6IFwib2JqZWN0XCIsIHByb3BlcnRpZXM6IHt9IH0gfSB9LFxuXSBhcyBjb25zdDtcblxuLyoqIEFuc3dlcnMgb2YgdGhlIHRvb2xzLCB3b3JkIGZvciB3b3JkLiAqL1xuZXhwb3J0IGNvbnN0IFRPT0xfQU5TV0VSUyA9IHsgcGFzczogXCJQQVNTXCIsIGVkaXRlZDogXCJva1wiLCBiYWRMaW5lOiBcIkVSUk9SIGJhZCBsaW5lXCIsIGJhZENhbGw6IFwiRVJST1IgYmFkIGNhbGxcIiB9IGFzIGNvbnN0O1xuXG5leHBvcnQgaW50ZXJmYWNlIERlbW9uc3RyYXRpb25UdXJuIHtcbiAgcm9sZTogXCJhc3Npc3RhbnRcIiB8IFwidG9vbFwiO1xuICAvKiogRm9yIGFuIGFzc2lzdGFudCB0dXJuLiAqL1xuICBjYWxsPzogeyBuYW1lOiBcInRlc3RcIiB8IFwiZWRpdFwiIHwgXCJzdWJtaXRcIjsgYXJndW1lbnRzOiBSZWNvcmQ8c3RyaW5nLCB1bmtub3duPiB9O1xuICAvKiogRm9yIGEgdG9vbCB0dXJuLiAqL1xuICB0ZXh0Pzogc3RyaW5nO1xufVxuXG4vKipcbiAqIEEgd2VhayBkZW1vbnN0cmF0aW9uOiB0aGUgcmlnaHQgZm9ybSBhbmQgdGhlIHJpZ2h0IGxpbmUsIGJ1dCB0aGUgcmVwYWlyIGl0c2VsZiBpcyByaWdodCBvbmx5IHdpdGhcbiAqIHByb2JhYmlsaXR5IGBnb29kU2hhcmVgLCBlbHNlIGFuIG9wZXJhdG9yIGRyYXduIGF0IHJhbmRvbS4gSXQgdGVhY2hlcyB0aGUgZm9ybWF0LCBub3QgdGhlIGFuc3dlci5cbiAqL1xuZXhwb3J0IGZ1bmN0aW9uIGRlbW9uc3RyYXRlKHRhc2s6IFJlcGFpclRhc2ssIHJhbmRvbTogUmFuZG9tLCBnb29kU2hhcmU6IG51bWJlcik6IERlbW9uc3RyYXRpb25UdXJuW10ge1xuICBjb25zdCB0dXJuczogRGVtb25zdHJhdGlvblR1cm5bXSA9IFtdO1xuICBjb25zdCBmbiA9IHRhc2suZnVuY3Rpb25zW3Rhc2suYnJva2VuRnVuY3Rpb25dO1xuICBpZiAoIWZuKSByZXR1cm4gdHVybnM7XG4gIGNvbnN0IGNhbmRpZGF0ZXMgPSBJTlRFTlRfTkFNRVMuZmlsdGVyKChuYW1lKSA9PiBuYW1lICE9PSB0YXNrLndyb25nSW50ZW50KTtcbiAgbGV0IGN1cnJlbnQ6IEludGVudE5hbWUgPSB0YXNrLndyb25nSW50ZW50O1xuICBjb25zdCBlZGl0ID0gKCkgPT4ge1xuICAgIGN1cnJlbnQgPSByYW5kb20ubmV4dCgpIDwgZ29vZFNoYXJlID8gZm4uaW50ZW50IDogKGNhbmRpZGF0ZXNbcmFuZG9tLmJlbG93KGNhbmRpZGF0ZXMubGVuZ3RoKV0gPz8gZm4uaW50ZW50KTtcbiAgICB0dXJucy5wdXNoKHsgcm9sZTogXCJhc3Npc3RhbnRcIiwgY2FsbDogeyBuYW1lOiBcImVkaXRcIiwgYXJndW1lbnRzOiB7IGxpbmU6IGJyb2tlbkxpbmUodGFzayksIGNvZGU6IGJvZHlPZihjdXJyZW50KSB9IH0gfSk7XG4gICAgdHVybnMucHVzaCh7IHJvbGU6IFwidG9vbFwiLCB0ZXh0OiBUT09MX0FOU1dFUlMuZWRpdGVkIH0pO1xuICB9O1xuICBlZGl0KCk7XG4gIGlmIChyYW5kb20ubmV4dCgpIDwgMC42KSB7XG4gICAgdHVybnMucHVzaCh7IHJvbGU6IFwiYXNzaXN0YW50XCIsIGNhbGw6IHsgbmFtZTogXCJ0ZXN0XCIsIGFyZ3VtZW50czoge30gfSB9KTtcbiAgICB0dXJucy5wdXNoKHsgcm9sZTogXCJ0b29sXCIsIHRleHQ6IGN1cnJlbnQgPT09IGZuLmludGVudCA/IFRPT0xfQU5TV0VSUy5wYXNzIDogZmFpbHVyZU1lc3NhZ2UodGFzaywgdGFzay5icm9rZW5GdW5jdGlvbikgfSk7XG4gICAgaWYgKGN1cnJlbnQgIT09IGZuLmludGVudCAmJiByYW5kb20ubmV4dCgpIDwgMC44KSBlZGl0KCk7XG4gIH1cbiAgdHVybnMucHVzaCh7IHJvbGU6IFwiYXNzaXN0YW50XCIsIGNhbGw6IHsgbmFtZTogXCJzdWJtaXRcIiwgYXJndW1lbnRzOiB7fSB9IH0pO1xuICByZXR1cm4gdHVybnM7XG59XG4iXSwKICAibWFwcGluZ3MiOiAiO0FBQUEsU0FBUyxvQkFBb0I7OztBQ0E3QixTQUFTLFNBQVM7QUFHWCxJQUFNLGVBQWUsRUFBRSxLQUFLO0FBQUEsRUFDakM7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUNGLENBQUM7QUFtQk0sSUFBTSxXQUFOLGNBQXVCLE1BQU07QUFBQSxFQUNoQixPQUFPO0FBQUEsRUFDaEI7QUFBQSxFQUNBO0FBQUEsRUFFVCxZQUNFLE1BQ0EsTUFDQTtBQUNBLFVBQU0sS0FBSyxXQUFXLEtBQUssYUFBYSxFQUFFLE9BQU8sS0FBSyxNQUFNLENBQUM7QUFDN0QsU0FBSyxPQUFPO0FBQ1osU0FBSyxjQUFjLEtBQUs7QUFBQSxFQUMxQjtBQUNGO0FBR08sSUFBTSxZQUFZLEVBQUUsT0FBTztBQUFBLEVBQ2hDLE9BQU8sRUFBRSxPQUFPLEVBQUUsTUFBTSxjQUFjLFNBQVMsRUFBRSxPQUFPLEVBQUUsQ0FBQztBQUM3RCxDQUFDOzs7QUNqREQsU0FBUyxhQUFBQSxrQkFBaUI7OztBQ0FuQixJQUFNLGtCQUFxQyxjQUFjO0FBRWhFLFNBQVMsZ0JBQTBCO0FBQ2pDLFFBQU0sWUFBWSxDQUFDLFNBQWtCLFFBQVEsTUFBTSxRQUFRLE9BQVMsUUFBUSxPQUFPLFFBQVEsT0FBUSxRQUFRO0FBQzNHLE1BQUksUUFBUTtBQUNaLFNBQU8sTUFBTSxLQUFLLEVBQUUsUUFBUSxJQUFJLEdBQUcsQ0FBQyxHQUFHLFNBQVMsT0FBTyxhQUFhLFVBQVUsSUFBSSxJQUFJLE9BQU8sT0FBTyxDQUFDO0FBQ3ZHO0FBR08sSUFBTSxtQkFBTixNQUF1QjtBQUFBLEVBQ25CLFNBQXFDLENBQUM7QUFBQTtBQUFBLEVBRy9DLFlBQVksWUFBOEMsT0FBb0M7QUFDNUYsVUFBTSxTQUFTLElBQUksSUFBSSxnQkFBZ0IsSUFBSSxDQUFDLFdBQVcsU0FBUyxDQUFDLFdBQVcsSUFBSSxDQUFDLENBQUM7QUFDbEYsZUFBVyxDQUFDLE9BQU8sRUFBRSxLQUFLLE9BQU8sUUFBUSxVQUFVLEdBQUc7QUFDcEQsWUFBTSxRQUFRLENBQUMsR0FBRyxLQUFLLEVBQUUsSUFBSSxDQUFDLGNBQWMsT0FBTyxJQUFJLFNBQVMsQ0FBQztBQUNqRSxXQUFLLE9BQU8sRUFBRSxJQUFJLE1BQU0sTUFBTSxDQUFDLFNBQVMsU0FBUyxNQUFTLElBQUksV0FBVyxLQUFLLEtBQUssSUFBSSxPQUFPLEtBQUssT0FBTyxNQUFNO0FBQUEsSUFDbEg7QUFDQSxlQUFXLENBQUMsTUFBTSxFQUFFLEtBQUssTUFBTyxNQUFLLE9BQU8sRUFBRSxJQUFJLE9BQU8sS0FBSyxNQUFNLE1BQU07QUFBQSxFQUM1RTtBQUFBLEVBRUEsUUFBUSxJQUF3QjtBQUM5QixXQUFPLEtBQUssT0FBTyxFQUFFLEtBQUssSUFBSSxXQUFXO0FBQUEsRUFDM0M7QUFBQSxFQUVBLE9BQU8sS0FBZ0M7QUFDckMsV0FBTyxJQUFJLFlBQVksU0FBUyxFQUFFLFdBQVcsS0FBSyxDQUFDLEVBQUUsT0FBTyxPQUFPLE9BQU8sSUFBSSxJQUFJLENBQUMsT0FBTyxLQUFLLFFBQVEsRUFBRSxDQUFDLENBQUMsQ0FBQztBQUFBLEVBQzlHO0FBQUE7QUFBQSxFQUdBLFNBQXNEO0FBQ3BELFVBQU0sVUFBVSxJQUFJLFlBQVksU0FBUyxFQUFFLFdBQVcsS0FBSyxDQUFDO0FBQzVELFdBQU87QUFBQSxNQUNMLE1BQU0sQ0FBQyxPQUFPLFFBQVEsT0FBTyxLQUFLLFFBQVEsRUFBRSxHQUFHLEVBQUUsUUFBUSxLQUFLLENBQUM7QUFBQSxNQUMvRCxLQUFLLE1BQU0sUUFBUSxPQUFPO0FBQUEsSUFDNUI7QUFBQSxFQUNGO0FBQ0Y7OztBQ3ZDQSxTQUFTLGdCQUFnQjs7O0FDY3pCLElBQU0sUUFBUTtBQUNkLElBQU0sT0FBTztBQUNiLElBQU0sTUFBTTtBQUNaLElBQU0sVUFBaUIsRUFBRSxTQUFTLFVBQVUsTUFBTSxVQUFVLE9BQU8sVUFBVSxRQUFRLFNBQVM7QUFHdkYsU0FBUyxZQUFZLE1BQXFCO0FBQy9DLE1BQUksQ0FBQyxJQUFJLEtBQUssSUFBSSxFQUFHLFFBQU87QUFDNUIsUUFBTSxRQUFRLElBQUksSUFBSSxJQUFJO0FBQzFCLFFBQU0sT0FBaUIsQ0FBQztBQUN4QixXQUFTLE9BQU8sT0FBTyxRQUFRLFFBQVEsS0FBSyxTQUFTLEdBQUcsUUFBUTtBQUM5RCxVQUFNLE9BQU8sT0FBTyxhQUFhLElBQUk7QUFDckMsUUFBSSxDQUFDLE1BQU0sSUFBSSxJQUFJLEVBQUcsTUFBSyxLQUFLLElBQUk7QUFBQSxFQUN0QztBQUNBLFFBQU0sQ0FBQyxTQUFTQyxPQUFNLE9BQU8sTUFBTSxJQUFJO0FBQ3ZDLE1BQUksQ0FBQyxXQUFXLENBQUNBLFNBQVEsQ0FBQyxTQUFTLENBQUMsUUFBUTtBQUMxQyxVQUFNLElBQUksU0FBUyxlQUFlLEVBQUUsYUFBYSx5RUFBeUUsQ0FBQztBQUFBLEVBQzdIO0FBQ0EsU0FBTyxFQUFFLFNBQVMsTUFBQUEsT0FBTSxPQUFPLE9BQU87QUFDeEM7QUFHTyxTQUFTLGVBQWUsVUFBa0IsRUFBRSxNQUFBQSxPQUFNLE1BQU0sR0FBa0I7QUFDL0UsTUFBSSxDQUFDLFNBQVMsU0FBU0EsS0FBSSxFQUFHLFFBQU87QUFDckMsUUFBTSxTQUFTLElBQUksT0FBTyxJQUFJQSxLQUFJLE1BQU0sS0FBSyxNQUFNLEtBQUssS0FBS0EsS0FBSSxNQUFNLEtBQUssTUFBTSxLQUFLLElBQUksR0FBRztBQUM5RixTQUFPLFNBQVMsUUFBUSxRQUFRLENBQUMsR0FBRyxRQUFpQixVQUFtQixVQUFVLFNBQVMsRUFBRTtBQUMvRjs7O0FDNUJBLElBQU0sWUFBWTtBQUNsQixJQUFNLFNBQVM7QUFDZixJQUFNLFFBQVE7QUFDZCxJQUFNLFNBQVM7QUFDZixJQUFNLFdBQVc7QUFBQSxFQUNmLENBQUMsUUFBUSxJQUFJO0FBQUEsRUFDYixDQUFDLFNBQVMsS0FBSztBQUFBLEVBQ2YsQ0FBQyxRQUFRLElBQUk7QUFDZjtBQUdPLFNBQVMsY0FBYyxNQUE2QjtBQUN6RCxRQUFNLFFBQVEsZ0JBQWdCLE1BQU0sQ0FBQztBQUNyQyxNQUFJLFVBQVUsTUFBTSxNQUFNLEdBQUcsTUFBTSxLQUFLLE9BQVEsT0FBTSxJQUFJLFlBQVksc0JBQXNCLE1BQU0sR0FBRyxFQUFFO0FBQ3ZHLFNBQU87QUFDVDtBQUdPLFNBQVMsZ0JBQWdCLE1BQWMsSUFBMkI7QUFDdkUsU0FBTyxXQUFXLE1BQU0sVUFBVSxNQUFNLEVBQUUsR0FBRyxDQUFDO0FBQ2hEO0FBRU8sU0FBUyxVQUFVLE1BQWMsSUFBb0I7QUFDMUQsUUFBTSxZQUFZO0FBQ2xCLFFBQU0sS0FBSyxJQUFJO0FBQ2YsU0FBTyxNQUFNO0FBQ2Y7QUFFQSxTQUFTLFdBQVcsTUFBYyxPQUFlLE9BQThCO0FBQzdFLE1BQUksUUFBUSxVQUFXLE9BQU0sSUFBSSxZQUFZLGlCQUFpQjtBQUM5RCxRQUFNLFFBQVEsS0FBSyxLQUFLO0FBQ3hCLE1BQUksVUFBVSxJQUFLLFFBQU8sWUFBWSxNQUFNLE9BQU8sS0FBSztBQUN4RCxNQUFJLFVBQVUsSUFBSyxRQUFPLFdBQVcsTUFBTSxPQUFPLEtBQUs7QUFDdkQsTUFBSSxVQUFVLElBQUssUUFBTyxZQUFZLE1BQU0sS0FBSztBQUNqRCxhQUFXLENBQUMsTUFBTSxLQUFLLEtBQUssVUFBVTtBQUNwQyxRQUFJLEtBQUssV0FBVyxNQUFNLEtBQUssRUFBRyxRQUFPLEVBQUUsTUFBTSxXQUFXLE9BQU8sT0FBTyxLQUFLLFFBQVEsS0FBSyxPQUFPO0FBQUEsRUFDckc7QUFDQSxTQUFPLFlBQVk7QUFDbkIsUUFBTSxTQUFTLE9BQU8sS0FBSyxJQUFJLElBQUksQ0FBQztBQUNwQyxNQUFJLFdBQVcsT0FBVyxPQUFNLElBQUksWUFBWSxvQkFBb0IsS0FBSyxFQUFFO0FBQzNFLFNBQU8sRUFBRSxNQUFNLFVBQVUsTUFBTSxRQUFRLE9BQU8sS0FBSyxRQUFRLE9BQU8sT0FBTztBQUMzRTtBQUVBLFNBQVMsWUFBWSxNQUFjLE9BQW1EO0FBQ3BGLFNBQU8sWUFBWTtBQUNuQixRQUFNLFNBQVMsT0FBTyxLQUFLLElBQUksSUFBSSxDQUFDO0FBQ3BDLE1BQUksV0FBVyxPQUFXLE9BQU0sSUFBSSxZQUFZLHFCQUFxQixLQUFLLEVBQUU7QUFDNUUsUUFBTSxRQUFpQixPQUFPLFNBQVMsSUFBSSxJQUFJLEtBQUssTUFBTSxNQUFNLElBQUksT0FBTyxNQUFNLEdBQUcsRUFBRTtBQUN0RixTQUFPLEVBQUUsTUFBTSxVQUFVLE9BQU8sT0FBTyxLQUFLLEdBQUcsT0FBTyxLQUFLLFFBQVEsT0FBTyxPQUFPO0FBQ25GO0FBRUEsU0FBUyxZQUFZLE1BQWMsT0FBZSxPQUE4QjtBQUM5RSxRQUFNLFVBQXFDLENBQUM7QUFDNUMsTUFBSSxLQUFLLFVBQVUsTUFBTSxRQUFRLENBQUM7QUFDbEMsTUFBSSxLQUFLLEVBQUUsTUFBTSxJQUFLLFFBQU8sRUFBRSxNQUFNLFVBQVUsU0FBUyxPQUFPLEtBQUssS0FBSyxFQUFFO0FBQzNFLGFBQVM7QUFDUCxRQUFJLEtBQUssRUFBRSxNQUFNLElBQUssT0FBTSxJQUFJLFlBQVksYUFBYSxFQUFFLEVBQUU7QUFDN0QsVUFBTSxNQUFNLFlBQVksTUFBTSxFQUFFO0FBQ2hDLFNBQUssVUFBVSxNQUFNLElBQUksR0FBRztBQUM1QixRQUFJLEtBQUssRUFBRSxNQUFNLElBQUssT0FBTSxJQUFJLFlBQVksZUFBZSxFQUFFLEVBQUU7QUFDL0QsVUFBTSxRQUFRLFdBQVcsTUFBTSxVQUFVLE1BQU0sS0FBSyxDQUFDLEdBQUcsUUFBUSxDQUFDO0FBQ2pFLFlBQVEsS0FBSyxDQUFDLElBQUksT0FBTyxLQUFLLENBQUM7QUFDL0IsU0FBSyxVQUFVLE1BQU0sTUFBTSxHQUFHO0FBQzlCLFFBQUksS0FBSyxFQUFFLE1BQU0sSUFBSyxRQUFPLEVBQUUsTUFBTSxVQUFVLFNBQVMsT0FBTyxLQUFLLEtBQUssRUFBRTtBQUMzRSxRQUFJLEtBQUssRUFBRSxNQUFNLElBQUssT0FBTSxJQUFJLFlBQVksZUFBZSxFQUFFLEVBQUU7QUFDL0QsU0FBSyxVQUFVLE1BQU0sS0FBSyxDQUFDO0FBQUEsRUFDN0I7QUFDRjtBQUVBLFNBQVMsV0FBVyxNQUFjLE9BQWUsT0FBOEI7QUFDN0UsUUFBTSxXQUE0QixDQUFDO0FBQ25DLE1BQUksS0FBSyxVQUFVLE1BQU0sUUFBUSxDQUFDO0FBQ2xDLE1BQUksS0FBSyxFQUFFLE1BQU0sSUFBSyxRQUFPLEVBQUUsTUFBTSxTQUFTLFVBQVUsT0FBTyxLQUFLLEtBQUssRUFBRTtBQUMzRSxhQUFTO0FBQ1AsVUFBTSxRQUFRLFdBQVcsTUFBTSxJQUFJLFFBQVEsQ0FBQztBQUM1QyxhQUFTLEtBQUssS0FBSztBQUNuQixTQUFLLFVBQVUsTUFBTSxNQUFNLEdBQUc7QUFDOUIsUUFBSSxLQUFLLEVBQUUsTUFBTSxJQUFLLFFBQU8sRUFBRSxNQUFNLFNBQVMsVUFBVSxPQUFPLEtBQUssS0FBSyxFQUFFO0FBQzNFLFFBQUksS0FBSyxFQUFFLE1BQU0sSUFBSyxPQUFNLElBQUksWUFBWSxlQUFlLEVBQUUsRUFBRTtBQUMvRCxTQUFLLFVBQVUsTUFBTSxLQUFLLENBQUM7QUFBQSxFQUM3QjtBQUNGOzs7QUNqRkEsSUFBTSxlQUFlO0FBR2QsSUFBTSxpQkFBTixNQUFxQjtBQUFBLEVBQ2pCO0FBQUEsRUFDQTtBQUFBLEVBRVQsWUFBWSxTQUF3QixPQUFjO0FBQ2hELFNBQUssV0FBVztBQUNoQixTQUFLLFNBQVM7QUFBQSxFQUNoQjtBQUFBLEVBRUEsUUFBUSxTQUEyQztBQUNqRCxVQUFNLFdBQVcsS0FBSyxPQUFPLE9BQU87QUFDcEMsUUFBSSxTQUFTLFlBQVksUUFBUSxTQUFTLFlBQVksT0FBVyxVQUFTLFVBQVU7QUFDcEYsUUFBSSxNQUFNLFFBQVEsUUFBUSxVQUFVLEVBQUcsVUFBUyxhQUFhLFFBQVEsV0FBVyxJQUFJLENBQUNDLFVBQVMsS0FBSyxVQUFVQSxLQUFJLENBQUM7QUFDbEgsV0FBTztBQUFBLEVBQ1Q7QUFBQTtBQUFBLEVBR0EsVUFBVUEsT0FBd0I7QUFDaEMsVUFBTSxXQUFXLEtBQUssT0FBT0EsS0FBSTtBQUNqQyxVQUFNLFFBQVNBLE9BQXdELFVBQVU7QUFDakYsUUFBSSxTQUFTLGFBQWEsVUFBYSxPQUFPLFVBQVUsU0FBVSxRQUFPO0FBQ3pFLFdBQU8sRUFBRSxHQUFHLFVBQVUsVUFBVSxFQUFFLEdBQUcsU0FBUyxVQUFVLFdBQVcsS0FBSyxpQkFBaUIsS0FBSyxFQUFFLEVBQUU7QUFBQSxFQUNwRztBQUFBLEVBRUEsaUJBQWlCLE1BQXVCO0FBQ3RDLFFBQUk7QUFDRixhQUFPLEtBQUssU0FBUyxjQUFjLEtBQUssS0FBSyxNQUFNLEtBQUssT0FBTyxJQUFJLENBQUM7QUFBQSxJQUN0RSxTQUFTLE9BQU87QUFDZCxVQUFJLGlCQUFpQixZQUFhLFFBQU8sS0FBSyxNQUFNLElBQUk7QUFDeEQsWUFBTTtBQUFBLElBQ1I7QUFBQSxFQUNGO0FBQUEsRUFFQSxTQUFTLE9BQStCO0FBQ3RDLFlBQVEsTUFBTSxNQUFNO0FBQUEsTUFDbEIsS0FBSztBQUNILGVBQU8sT0FBTyxZQUFZLE1BQU0sUUFBUSxJQUFJLENBQUMsQ0FBQyxLQUFLLEtBQUssTUFBTSxDQUFDLEtBQUssS0FBSyxHQUFHLEdBQUcsS0FBSyxTQUFTLEtBQUssQ0FBQyxDQUFDLENBQUM7QUFBQSxNQUN2RyxLQUFLO0FBQ0gsZUFBTyxNQUFNLFNBQVMsSUFBSSxDQUFDLFlBQVksS0FBSyxTQUFTLE9BQU8sQ0FBQztBQUFBLE1BQy9ELEtBQUs7QUFFSCxlQUFPLEtBQUssU0FBUyxZQUFZLE1BQU0sT0FBTyxLQUFLLE9BQU8sT0FBTztBQUFBLE1BQ25FLEtBQUs7QUFDSCxlQUFPLE9BQU8sT0FBTyxNQUFNLElBQUksQ0FBQyxNQUFNLE1BQU0sT0FBTyxPQUFPLE1BQU0sSUFBSSxJQUFJLEtBQUssT0FBTyxPQUFPLE1BQU0sT0FBTyxLQUFLLE9BQU87QUFBQSxNQUN0SCxLQUFLO0FBQ0gsZUFBTyxNQUFNO0FBQUEsSUFDakI7QUFBQSxFQUNGO0FBQUEsRUFFQSxPQUFPLE9BQXlCO0FBQzlCLFFBQUksT0FBTyxVQUFVLFNBQVUsUUFBTyxLQUFLLE1BQU0sS0FBSztBQUN0RCxRQUFJLE1BQU0sUUFBUSxLQUFLLEVBQUcsUUFBTyxNQUFNLElBQUksQ0FBQyxZQUFZLEtBQUssT0FBTyxPQUFPLENBQUM7QUFDNUUsUUFBSSxVQUFVLFFBQVEsT0FBTyxVQUFVLFVBQVU7QUFDL0MsYUFBTyxPQUFPLFlBQVksT0FBTyxRQUFRLEtBQUssRUFBRSxJQUFJLENBQUMsQ0FBQyxLQUFLLEtBQUssTUFBTSxDQUFDLEtBQUssS0FBSyxHQUFHLEdBQUcsS0FBSyxPQUFPLEtBQUssQ0FBQyxDQUFDLENBQUM7QUFBQSxJQUM3RztBQUNBLFdBQU87QUFBQSxFQUNUO0FBQUEsRUFFQSxNQUFNLE1BQXNCO0FBQzFCLFdBQU8sS0FBSyxTQUFTLFFBQVEsTUFBTSxLQUFLLE9BQU8sT0FBTztBQUFBLEVBQ3hEO0FBQUEsRUFFQSxLQUFLLEtBQXFCO0FBRXhCLFdBQU8sYUFBYSxLQUFLLEdBQUcsSUFBSSxLQUFLLE9BQU8sVUFBVSxNQUFNLEtBQUssU0FBUyxZQUFZLEtBQUssS0FBSyxPQUFPLE9BQU87QUFBQSxFQUNoSDtBQUNGOzs7QUhwRU8sSUFBTSxlQUFOLE1BQW1CO0FBQUEsRUFDZjtBQUFBLEVBQ0E7QUFBQSxFQUNBO0FBQUEsRUFFVCxZQUFZLFFBQWdCLFNBQXdCLFFBQWdFO0FBQ2xILFNBQUssWUFBWSxJQUFJLFNBQVMsTUFBTTtBQUNwQyxTQUFLLFdBQVc7QUFDaEIsU0FBSyxVQUFVO0FBQUEsRUFDakI7QUFBQTtBQUFBLEVBR0EsT0FBTyxVQUE4QkMsUUFBK0Isa0JBQXFDO0FBQ3ZHLFdBQU8sS0FBSyxLQUFLLFVBQVVBLFFBQU8sa0JBQWtCLE1BQU0sQ0FBQyxDQUFDO0FBQUEsRUFDOUQ7QUFBQTtBQUFBO0FBQUE7QUFBQTtBQUFBLEVBTUEsa0JBQWtCLFVBQThCQSxRQUF5QztBQUN2RixXQUFPLEtBQUssS0FBSyxVQUFVQSxRQUFPLE1BQU0sQ0FBQyxFQUFFLE9BQU8sTUFBTTtBQUFBLE1BQ3RELEVBQUUsTUFBTSxRQUFRLFNBQVMsSUFBSTtBQUFBLE1BQzdCLFNBQVMsQ0FBQyxHQUFHLFNBQVMsU0FDbEIsRUFBRSxNQUFNLGFBQWEsU0FBUyxRQUFRLFlBQVksQ0FBQyxFQUFFLElBQUksYUFBYSxNQUFNLFlBQVksVUFBVSxFQUFFLE1BQU0sUUFBUSxXQUFXLENBQUMsRUFBRSxFQUFFLENBQUMsRUFBRSxJQUNySSxFQUFFLE1BQU0sYUFBYSxTQUFTLE9BQU87QUFBQSxJQUMzQyxDQUFDO0FBQUEsRUFDSDtBQUFBLEVBRUEsS0FDRSxVQUNBQSxRQUNBLGtCQUNBLFFBQ1U7QUFDVixVQUFNLFFBQVEsWUFBWSxLQUFLLFVBQVUsUUFBUSxLQUFLQSxTQUFRLEtBQUssVUFBVUEsT0FBTSxLQUFLLElBQUksR0FBRztBQUMvRixVQUFNLFNBQVMsSUFBSSxlQUFlLEtBQUssVUFBVSxLQUFLO0FBQ3RELFFBQUk7QUFDRixZQUFNLE9BQU8sS0FBSyxVQUFVLE9BQU87QUFBQSxRQUNqQyxHQUFHLEtBQUs7QUFBQSxRQUNSLFVBQVUsQ0FBQyxHQUFHLE9BQU8sS0FBSyxHQUFHLEdBQUcsU0FBUyxJQUFJLENBQUMsWUFBWSxPQUFPLFFBQVEsT0FBTyxDQUFDLENBQUM7QUFBQSxRQUNsRixPQUFPQSxXQUFVLE9BQU8sT0FBTyxPQUFPLFNBQVNBLE9BQU0sS0FBSztBQUFBLFFBQzFELHVCQUF1QjtBQUFBLE1BQ3pCLENBQUM7QUFDRCxhQUFPLEVBQUUsTUFBTSxlQUFlLE1BQU0sS0FBSyxHQUFHLE1BQU07QUFBQSxJQUNwRCxTQUFTLE9BQU87QUFDZCxVQUFJLGlCQUFpQixTQUFVLE9BQU07QUFDckMsWUFBTSxNQUFNLGlCQUFpQixRQUFRLE1BQU0sVUFBVSxPQUFPLEtBQUs7QUFDakUsWUFBTSxJQUFJLFNBQVMsZUFBZSxFQUFFLGFBQWEscURBQXFELEdBQUcsSUFBSSxPQUFPLE1BQU0sQ0FBQztBQUFBLElBQzdIO0FBQUEsRUFDRjtBQUNGOzs7QUk5REEsSUFBTSxlQUFlLENBQUMsU0FBaUIsS0FBSyxRQUFRLHVCQUF1QixNQUFNO0FBRzFFLElBQU0sZ0JBQU4sTUFBb0I7QUFBQSxFQUNoQjtBQUFBLEVBQ0E7QUFBQTtBQUFBLEVBRUEsU0FBUyxvQkFBSSxJQUFZO0FBQUEsRUFDekIsU0FBUyxvQkFBSSxJQUFZO0FBQUEsRUFDekI7QUFBQSxFQUVULFlBQVksUUFBK0I7QUFDekMsVUFBTSxRQUFRLE9BQU8sSUFBSSxDQUFDLFVBQVUsTUFBTSxPQUFPLEVBQUUsS0FBSyxDQUFDLEdBQUcsTUFBTSxFQUFFLFNBQVMsRUFBRSxNQUFNO0FBQ3JGLFNBQUssU0FBUyxJQUFJLElBQUksT0FBTyxJQUFJLENBQUMsVUFBVSxDQUFDLE1BQU0sU0FBUyxNQUFNLEVBQUUsQ0FBQyxDQUFDO0FBQ3RFLFNBQUssT0FBTyxNQUFNLFdBQVcsSUFBSSxVQUFVLElBQUksT0FBTyxNQUFNLElBQUksWUFBWSxFQUFFLEtBQUssR0FBRyxHQUFHLEdBQUc7QUFDNUYsU0FBSyxXQUFXLE1BQU0sQ0FBQyxHQUFHLFVBQVU7QUFDcEMsZUFBVyxRQUFRLE9BQU87QUFDeEIsZUFBU0MsS0FBSSxHQUFHQSxLQUFJLEtBQUssUUFBUUEsTUFBSztBQUNwQyxhQUFLLE9BQU8sSUFBSSxLQUFLLE1BQU0sR0FBR0EsRUFBQyxDQUFDO0FBQ2hDLGFBQUssT0FBTyxJQUFJLEtBQUssTUFBTUEsRUFBQyxDQUFDO0FBQUEsTUFDL0I7QUFBQSxJQUNGO0FBQUEsRUFDRjtBQUFBO0FBQUEsRUFHQSxNQUFNLE1BQW1DO0FBQ3ZDLFVBQU0sU0FBOEIsQ0FBQztBQUNyQyxRQUFJLEtBQUs7QUFDVCxlQUFXLFNBQVMsS0FBSyxTQUFTLEtBQUssSUFBSSxHQUFHO0FBQzVDLFVBQUksTUFBTSxRQUFRLEdBQUksUUFBTyxLQUFLLEtBQUssTUFBTSxJQUFJLE1BQU0sS0FBSyxDQUFDO0FBQzdELGFBQU8sS0FBSyxLQUFLLE9BQU8sSUFBSSxNQUFNLENBQUMsQ0FBQyxLQUFLLE1BQU0sQ0FBQyxDQUFDO0FBQ2pELFdBQUssTUFBTSxRQUFRLE1BQU0sQ0FBQyxFQUFFO0FBQUEsSUFDOUI7QUFDQSxRQUFJLEtBQUssS0FBSyxPQUFRLFFBQU8sS0FBSyxLQUFLLE1BQU0sRUFBRSxDQUFDO0FBQ2hELFdBQU87QUFBQSxFQUNUO0FBQUE7QUFBQSxFQUdBLFlBQVksTUFBYyxTQUF5QjtBQUNqRCxXQUFPLEtBQUssUUFBUSxLQUFLLE1BQU0sQ0FBQyxVQUFVLENBQUMsR0FBRyxLQUFLLEVBQUUsS0FBSyxPQUFPLENBQUM7QUFBQSxFQUNwRTtBQUFBO0FBQUEsRUFHQSxRQUFRLE1BQWMsU0FBeUI7QUFDN0MsVUFBTSxTQUFTLEtBQUssWUFBWSxNQUFNLE9BQU87QUFDN0MsVUFBTSxRQUFRLE9BQU8sS0FBSztBQUMxQixVQUFNLE9BQU8sQ0FBQyxRQUFRLEtBQUssRUFBRSxLQUFLLENBQUMsU0FBUyxLQUFLLGNBQWMsSUFBSSxDQUFDLElBQUksVUFBVTtBQUNsRixVQUFNLE9BQU8sQ0FBQyxRQUFRLEtBQUssRUFBRSxLQUFLLENBQUMsU0FBUyxLQUFLLFlBQVksSUFBSSxDQUFDLElBQUksVUFBVTtBQUNoRixRQUFJLFNBQVMsTUFBTSxTQUFTLEdBQUksUUFBTztBQUN2QyxVQUFNLFFBQVEsT0FBTyxTQUFTLE9BQU8sVUFBVSxFQUFFO0FBQ2pELFdBQU8sT0FBTyxNQUFNLEdBQUcsS0FBSyxJQUFJLE9BQU8sUUFBUSxPQUFPLE9BQU8sTUFBTSxRQUFRLE1BQU0sTUFBTTtBQUFBLEVBQ3pGO0FBQUEsRUFFQSxjQUFjLE1BQXVCO0FBQ25DLGFBQVNBLEtBQUksS0FBSyxJQUFJLEtBQUssUUFBUSxLQUFLLFdBQVcsQ0FBQyxHQUFHQSxLQUFJLEdBQUdBLEtBQUssS0FBSSxLQUFLLE9BQU8sSUFBSSxLQUFLLE1BQU0sR0FBR0EsRUFBQyxDQUFDLEVBQUcsUUFBTztBQUNqSCxXQUFPO0FBQUEsRUFDVDtBQUFBLEVBRUEsWUFBWSxNQUF1QjtBQUNqQyxhQUFTQSxLQUFJLEtBQUssSUFBSSxLQUFLLFFBQVEsS0FBSyxXQUFXLENBQUMsR0FBR0EsS0FBSSxHQUFHQSxLQUFLLEtBQUksS0FBSyxPQUFPLElBQUksS0FBSyxNQUFNLENBQUNBLEVBQUMsQ0FBQyxFQUFHLFFBQU87QUFDL0csV0FBTztBQUFBLEVBQ1Q7QUFDRjs7O0FDaEVBLFNBQVMsa0JBQWtCO0FBQzNCLFNBQVMsWUFBQUMsaUJBQWdCO0FBQ3pCLFNBQVMsWUFBWTs7O0FDRnJCLFNBQVMsbUJBQW1CO0FBQzVCLFNBQVMsTUFBTSxVQUFVLFFBQVEsVUFBVTtBQUMzQyxTQUFTLGVBQWU7QUFnRGpCLFNBQVMsVUFBVSxPQUF5QjtBQUNqRCxTQUFPLGlCQUFpQixTQUFTLFVBQVUsU0FBUyxNQUFNLFNBQVM7QUFDckU7OztBRC9DQSxTQUFTLEtBQUFDLFVBQVM7QUFFbEIsSUFBTSxZQUFZQSxHQUFFLE1BQU0sQ0FBQ0EsR0FBRSxPQUFPLEdBQUdBLEdBQUUsWUFBWSxFQUFFLFNBQVNBLEdBQUUsT0FBTyxFQUFFLENBQUMsQ0FBQyxDQUFDLEVBQUUsUUFBUTtBQUN4RixJQUFNLGtCQUFrQkEsR0FBRSxZQUFZO0FBQUEsRUFDcEMsV0FBVztBQUFBLEVBQ1gsV0FBVztBQUFBLEVBQ1gsZUFBZUEsR0FBRSxNQUFNLENBQUNBLEdBQUUsT0FBTyxHQUFHQSxHQUFFLE1BQU1BLEdBQUUsWUFBWSxFQUFFLE1BQU1BLEdBQUUsT0FBTyxHQUFHLFVBQVVBLEdBQUUsT0FBTyxFQUFFLENBQUMsQ0FBQyxDQUFDLENBQUMsRUFBRSxRQUFRO0FBQ25ILENBQUM7QUFDRCxJQUFNLGNBQWNBLEdBQUUsWUFBWTtBQUFBLEVBQ2hDLFlBQVlBLEdBQUUsT0FBTyxFQUFFLFFBQVE7QUFBQSxFQUMvQixjQUFjQSxHQUFFLE1BQU0sQ0FBQ0EsR0FBRSxPQUFPLEdBQUdBLEdBQUUsTUFBTUEsR0FBRSxPQUFPLENBQUMsQ0FBQyxDQUFDLEVBQUUsUUFBUTtBQUNuRSxDQUFDO0FBQ00sSUFBTSxhQUFhQSxHQUFFLFlBQVk7QUFBQSxFQUN0QyxJQUFJQSxHQUFFLE9BQU8sRUFBRSxJQUFJO0FBQUEsRUFDbkIsU0FBU0EsR0FBRSxPQUFPO0FBQUEsRUFDbEIsU0FBU0EsR0FBRSxRQUFRLEVBQUUsUUFBUSxLQUFLO0FBQUEsRUFDbEMsUUFBUUEsR0FBRSxRQUFRLEVBQUUsUUFBUSxLQUFLO0FBQUEsRUFDakMsUUFBUUEsR0FBRSxRQUFRLEVBQUUsUUFBUSxLQUFLO0FBQUEsRUFDakMsYUFBYUEsR0FBRSxRQUFRLEVBQUUsUUFBUSxLQUFLO0FBQ3hDLENBQUM7QUFFRCxJQUFNLGdCQUFnQkEsR0FBRSxZQUFZLEVBQUUsY0FBY0EsR0FBRSxNQUFNLFVBQVUsRUFBRSxRQUFRLENBQUMsQ0FBQyxFQUFFLENBQUM7QUFnQnJGLElBQU0sU0FBUyxDQUFDLFNBQWlCLFdBQVcsUUFBUSxFQUFFLE9BQU8sSUFBSSxFQUFFLE9BQU8sS0FBSztBQUMvRSxJQUFNLFNBQVMsQ0FBQyxVQUFzQyxPQUFPLFVBQVUsV0FBVyxRQUFTLE9BQU8sV0FBVztBQUU3RyxlQUFlLFNBQVMsTUFBc0M7QUFDNUQsTUFBSTtBQUNGLFdBQU8sTUFBTUMsVUFBUyxNQUFNLE1BQU07QUFBQSxFQUNwQyxTQUFTLE9BQU87QUFDZCxRQUFJLFVBQVUsS0FBSyxFQUFHLFFBQU87QUFDN0IsVUFBTTtBQUFBLEVBQ1I7QUFDRjtBQUdBLGVBQXNCLGdCQUFnQixXQUF5QztBQUM3RSxRQUFNLENBQUMsZUFBZSxZQUFZLGNBQWMsV0FBVyxjQUFjLElBQUksTUFBTSxRQUFRO0FBQUEsSUFDekYsQ0FBQyxrQkFBa0IseUJBQXlCLHVCQUF1QixlQUFlLHdCQUF3QixFQUFFO0FBQUEsTUFBSSxDQUFDLFNBQy9HLFNBQVMsS0FBSyxXQUFXLElBQUksQ0FBQztBQUFBLElBQ2hDO0FBQUEsRUFDRjtBQUNBLE1BQUksaUJBQWlCLEtBQU0sT0FBTSxRQUFRLFdBQVcsMEJBQTBCO0FBQzlFLFFBQU0sWUFBWSxjQUFjLE1BQU0sS0FBSyxNQUFNLGFBQWEsQ0FBQztBQUMvRCxRQUFNLFNBQVMsZ0JBQWdCLE1BQU0sS0FBSyxNQUFNLGNBQWMsSUFBSSxDQUFDO0FBQ25FLFFBQU0sV0FBVyxnQkFBZ0IsV0FBVyxPQUFPLGFBQWE7QUFDaEUsTUFBSSxhQUFhLEtBQU0sT0FBTSxRQUFRLFdBQVcseUJBQXlCO0FBQ3pFLFFBQU0sU0FBUyxDQUFDLFdBQVcsY0FBYyxFQUFFLFFBQVEsQ0FBQyxTQUFTLFlBQVksTUFBTSxLQUFLLE1BQU0sUUFBUSxJQUFJLENBQUMsRUFBRSxnQkFBZ0IsQ0FBQyxDQUFDO0FBQzNILFFBQU0sV0FBVyxPQUFPLE9BQU8sU0FBUztBQUN4QyxRQUFNLGNBQWMsVUFBVSxhQUFhLEtBQUssQ0FBQyxVQUFVLE1BQU0sWUFBWSxRQUFRLEdBQUc7QUFDeEYsU0FBTztBQUFBLElBQ0w7QUFBQSxJQUNBLG1CQUFtQixLQUFLLFVBQVUsRUFBRSxHQUFHLFdBQVcsY0FBYyxDQUFDLEdBQUcsZ0JBQWdCLE1BQU0sWUFBWSxNQUFNLFNBQVMsS0FBSyxDQUFDO0FBQUEsSUFDM0gsYUFBYSxVQUFVO0FBQUEsSUFDdkI7QUFBQSxJQUNBLFVBQVUsT0FBTyxPQUFPLFNBQVM7QUFBQSxJQUNqQztBQUFBLElBQ0EsUUFBUSxDQUFDLEdBQUcsSUFBSSxJQUFJLGdCQUFnQixTQUFZLFNBQVMsQ0FBQyxHQUFHLFFBQVEsV0FBVyxDQUFDLENBQUM7QUFBQSxJQUNsRixpQkFBaUIsT0FBTyxhQUFhO0FBQUEsSUFDckMsb0JBQW9CLE9BQU8sUUFBUTtBQUFBLEVBQ3JDO0FBQ0Y7QUFFQSxTQUFTLFdBQVcsT0FBd0U7QUFDMUYsTUFBSSxDQUFDLE1BQU0sUUFBUSxLQUFLLEVBQUcsUUFBTyxTQUFTO0FBQzNDLFNBQU8sTUFBTSxLQUFLLENBQUMsVUFBVSxNQUFNLFNBQVMsU0FBUyxHQUFHLFlBQVk7QUFDdEU7QUFFTyxTQUFTLFFBQVEsV0FBbUIsS0FBdUI7QUFDaEUsU0FBTyxJQUFJLFNBQVMsZUFBZSxFQUFFLGFBQWEsb0JBQW9CLFNBQVMsdUJBQXVCLEdBQUcsSUFBSSxDQUFDO0FBQ2hIOzs7QUV4Rk8sSUFBTSxNQUFOLE1BQWE7QUFBQSxFQUNULFdBQVcsb0JBQUksSUFBZTtBQUFBLEVBQzlCO0FBQUEsRUFFVCxZQUFZLFlBQW9CO0FBQzlCLFNBQUssY0FBYztBQUFBLEVBQ3JCO0FBQUEsRUFFQSxJQUFJLEtBQTRCO0FBQzlCLFVBQU0sUUFBUSxLQUFLLFNBQVMsSUFBSSxHQUFHO0FBQ25DLFFBQUksVUFBVSxPQUFXLFFBQU87QUFDaEMsU0FBSyxTQUFTLE9BQU8sR0FBRztBQUN4QixTQUFLLFNBQVMsSUFBSSxLQUFLLEtBQUs7QUFDNUIsV0FBTztBQUFBLEVBQ1Q7QUFBQSxFQUVBLElBQUksS0FBYSxPQUFnQjtBQUMvQixTQUFLLFNBQVMsT0FBTyxHQUFHO0FBQ3hCLFNBQUssU0FBUyxJQUFJLEtBQUssS0FBSztBQUM1QixRQUFJLEtBQUssU0FBUyxRQUFRLEtBQUssWUFBYTtBQUM1QyxlQUFXLFVBQVUsS0FBSyxTQUFTLEtBQUssR0FBRztBQUN6QyxXQUFLLFNBQVMsT0FBTyxNQUFNO0FBQzNCO0FBQUEsSUFDRjtBQUFBLEVBQ0Y7QUFDRjs7O0FDYkEsSUFBTSxPQUFPO0FBQ2IsSUFBTSxRQUFRO0FBR1AsU0FBUyxlQUFlLE1BQTBCO0FBQ3ZELFFBQU0sWUFBcUMsQ0FBQztBQUM1QyxRQUFNLE9BQWlCLENBQUM7QUFDeEIsTUFBSSxTQUF5QjtBQUM3QixNQUFJLEtBQUs7QUFDVCxhQUFTO0FBQ1AsVUFBTUMsUUFBTyxLQUFLLFFBQVEsTUFBTSxFQUFFO0FBQ2xDLFFBQUlBLFFBQU8sRUFBRztBQUNkLFNBQUssS0FBSyxLQUFLLE1BQU0sSUFBSUEsS0FBSSxDQUFDO0FBQzlCLFVBQU1DLFFBQU8sV0FBVyxNQUFNRCxRQUFPLEtBQUssTUFBTTtBQUNoRCxRQUFJQyxPQUFNO0FBQ1IsZ0JBQVUsS0FBSyxFQUFFLE1BQU1BLE1BQUssTUFBTSxXQUFXQSxNQUFLLFVBQVUsQ0FBQztBQUM3RCxXQUFLQSxNQUFLO0FBQ1Y7QUFBQSxJQUNGO0FBQ0EsVUFBTSxRQUFRLEtBQUssUUFBUSxPQUFPRCxLQUFJO0FBQ3RDLGFBQVMsUUFBUSxJQUFJLGFBQWE7QUFDbEMsU0FBSyxRQUFRLElBQUksS0FBSyxTQUFTLFFBQVEsTUFBTTtBQUM3QyxTQUFLLEtBQUssS0FBSyxNQUFNQSxPQUFNLEVBQUUsQ0FBQztBQUFBLEVBQ2hDO0FBQ0EsT0FBSyxLQUFLLEtBQUssTUFBTSxFQUFFLENBQUM7QUFDeEIsUUFBTSxVQUFVLEtBQUssS0FBSyxFQUFFO0FBQzVCLFNBQU8sRUFBRSxTQUFTLFVBQVUsU0FBUyxJQUFJLFFBQVEsS0FBSyxJQUFJLFNBQVMsV0FBVyxPQUFPO0FBQ3ZGO0FBRUEsU0FBUyxXQUFXLE1BQWMsT0FBd0U7QUFDeEcsTUFBSTtBQUNKLE1BQUk7QUFDRixZQUFRLGdCQUFnQixNQUFNLEtBQUs7QUFBQSxFQUNyQyxTQUFTLE9BQU87QUFDZCxRQUFJLGlCQUFpQixZQUFhLFFBQU87QUFDekMsVUFBTTtBQUFBLEVBQ1I7QUFDQSxRQUFNLE1BQU0sVUFBVSxNQUFNLE1BQU0sR0FBRztBQUNyQyxNQUFJLE1BQU0sU0FBUyxZQUFZLENBQUMsS0FBSyxXQUFXLE9BQU8sR0FBRyxFQUFHLFFBQU87QUFDcEUsUUFBTSxTQUFTLElBQUksSUFBSSxNQUFNLE9BQU87QUFDcEMsUUFBTSxPQUFPLE9BQU8sSUFBSSxNQUFNO0FBQzlCLFFBQU0sUUFBUSxPQUFPLElBQUksV0FBVztBQUNwQyxNQUFJLE1BQU0sU0FBUyxZQUFZLEtBQUssVUFBVSxHQUFJLFFBQU87QUFDekQsTUFBSSxVQUFVLFVBQWEsTUFBTSxTQUFTLFNBQVUsUUFBTztBQUMzRCxTQUFPLEVBQUUsTUFBTSxLQUFLLE9BQU8sV0FBVyxRQUFRLEtBQUssTUFBTSxNQUFNLE9BQU8sTUFBTSxHQUFHLElBQUksTUFBTSxLQUFLLE1BQU0sTUFBTSxPQUFPO0FBQ25IOzs7QUNuQ0EsSUFBTSxpQkFBaUI7QUFDdkIsSUFBTSxxQkFBcUI7QUFHcEIsSUFBTSxXQUFOLE1BQWU7QUFBQSxFQUNYO0FBQUEsRUFDQSxTQUFTLElBQUksSUFBdUIsY0FBYztBQUFBLEVBRTNELFlBQVksT0FBc0I7QUFDaEMsU0FBSyxTQUFTO0FBQUEsRUFDaEI7QUFBQSxFQUVBLElBQUksVUFBNkI7QUFDL0IsV0FBTyxLQUFLLE9BQU87QUFBQSxFQUNyQjtBQUFBLEVBRUEsSUFBSSxVQUFrQjtBQUNwQixXQUFPLEtBQUssT0FBTyxNQUFNO0FBQUEsRUFDM0I7QUFBQTtBQUFBLEVBR0EsSUFBSSxXQUFXO0FBQ2IsVUFBTSxFQUFFLFFBQVEsaUJBQWlCLG1CQUFtQixJQUFJLEtBQUs7QUFDN0QsV0FBTyxFQUFFLFFBQVEsaUJBQWlCLG1CQUFtQjtBQUFBLEVBQ3ZEO0FBQUE7QUFBQSxFQUdBLFdBQVcsVUFBOEJFLFFBQTJEO0FBQ2xHLFdBQU8sS0FBSyxRQUFRLENBQUMsUUFBUSxVQUFVQSxRQUFPLElBQUksR0FBRyxNQUFNO0FBQ3pELFlBQU0sRUFBRSxNQUFNLE1BQU0sSUFBSSxLQUFLLE9BQU8sU0FBUyxPQUFPLFVBQVVBLFFBQU8sSUFBSTtBQUN6RSxhQUFPLEtBQUssT0FBTyxRQUFRLE9BQU8sTUFBTSxNQUFNLE9BQU87QUFBQSxJQUN2RCxDQUFDO0FBQUEsRUFDSDtBQUFBO0FBQUE7QUFBQTtBQUFBO0FBQUEsRUFNQSxhQUFhLFVBQThCQSxRQUErQixRQUE2QztBQUNySCxXQUFPLEtBQUssUUFBUSxDQUFDLFVBQVUsUUFBUSxVQUFVQSxRQUFPLElBQUksR0FBRyxNQUFNO0FBQ25FLFlBQU0sRUFBRSxNQUFNLE1BQU0sSUFBSSxLQUFLLFdBQVcsVUFBVUEsTUFBSztBQUN2RCxhQUFPLEtBQUssT0FBTyxRQUFRLE9BQU8sU0FBUyxLQUFLLE1BQU0sS0FBSyxPQUFPLE1BQU0sS0FBSyxNQUFNLElBQUksTUFBTSxNQUFNLE9BQU87QUFBQSxJQUM1RyxDQUFDO0FBQUEsRUFDSDtBQUFBO0FBQUEsRUFHQSxXQUFXLFVBQThCQSxRQUF5QztBQUNoRixVQUFNLEVBQUUsTUFBTSxNQUFNLElBQUksS0FBSyxPQUFPLFNBQVMsa0JBQWtCLFVBQVVBLE1BQUs7QUFDOUUsVUFBTSxRQUFRLEtBQUssUUFBUSxLQUFLLE9BQU8sTUFBTSxNQUFNLEtBQUssWUFBWSxNQUFNLE1BQU0sQ0FBQztBQUNqRixRQUFJLFFBQVEsRUFBRyxPQUFNLElBQUksTUFBTSwrQ0FBK0M7QUFDOUUsV0FBTyxFQUFFLE1BQU0sS0FBSyxNQUFNLEtBQUssR0FBRyxNQUFNO0FBQUEsRUFDMUM7QUFBQTtBQUFBLEVBR0EsU0FBUyxLQUF3QixVQUErQjtBQUM5RCxXQUFPLEtBQUssU0FBUyxLQUFLLFlBQVksR0FBRyxHQUFHLFFBQVE7QUFBQSxFQUN0RDtBQUFBLEVBRUEsU0FBUyxNQUFjLFVBQStCO0FBQ3BELFdBQU8sV0FBVyxlQUFlLElBQUksSUFBSSxFQUFFLFNBQVMsTUFBTSxXQUFXLENBQUMsR0FBRyxRQUFRLEtBQUs7QUFBQSxFQUN4RjtBQUFBLEVBRUEsWUFBWSxLQUFnQztBQUMxQyxXQUFPLEtBQUssT0FBTyxRQUFRLE9BQU8sSUFBSSxPQUFPLENBQUMsT0FBTyxDQUFDLEtBQUssT0FBTyxVQUFVLElBQUksRUFBRSxDQUFDLENBQUM7QUFBQSxFQUN0RjtBQUFBO0FBQUEsRUFHQSxhQUEwRDtBQUN4RCxVQUFNLFNBQVMsS0FBSyxPQUFPLFFBQVEsT0FBTztBQUMxQyxXQUFPLEVBQUUsTUFBTSxDQUFDLE9BQVEsS0FBSyxPQUFPLFVBQVUsSUFBSSxFQUFFLElBQUksS0FBSyxPQUFPLEtBQUssRUFBRSxHQUFJLEtBQUssTUFBTSxPQUFPLElBQUksRUFBRTtBQUFBLEVBQ3pHO0FBQUE7QUFBQSxFQUdBLE9BQU8sS0FBZ0M7QUFDckMsV0FBTyxLQUFLLE9BQU8sUUFBUSxPQUFPLEdBQUc7QUFBQSxFQUN2QztBQUFBLEVBRUEsTUFBTSxRQUFRLE9BQWdCLFFBQXNFO0FBQ2xHLFVBQU0sTUFBTSxLQUFLLFVBQVUsS0FBSztBQUNoQyxRQUFJLElBQUksU0FBUyxtQkFBb0IsUUFBTyxPQUFPO0FBQ25ELFVBQU0sT0FBTyxLQUFLLE9BQU8sSUFBSSxHQUFHO0FBQ2hDLFFBQUksS0FBTSxRQUFPO0FBQ2pCLFVBQU0sTUFBTSxNQUFNLE9BQU87QUFDekIsU0FBSyxPQUFPLElBQUksS0FBSyxHQUFHO0FBQ3hCLFdBQU87QUFBQSxFQUNUO0FBQ0Y7OztBQzNHQSxJQUFNLE9BQU8sQ0FBQyxNQUFjLE1BQWMsUUFBZ0IsRUFBRSxJQUFJLE1BQU0sWUFBWSxVQUFVLEVBQUUsTUFBTSxXQUFXLEtBQUssRUFBRTtBQUUvRyxJQUFNLGtCQUFrQjtBQUd4QixJQUFNLDBCQUFxRztBQUFBLEVBQ2hIO0FBQUEsSUFDRSxNQUFNO0FBQUEsSUFDTixPQUFPO0FBQUEsSUFDUCxVQUFVO0FBQUEsTUFDUixFQUFFLE1BQU0sVUFBVSxTQUFTLFlBQVk7QUFBQSxNQUN2QyxFQUFFLE1BQU0sUUFBUSxTQUFTLEtBQUs7QUFBQSxNQUM5QixFQUFFLE1BQU0sYUFBYSxTQUFTLFNBQVM7QUFBQSxNQUN2QyxFQUFFLE1BQU0sUUFBUSxTQUFTLHFCQUFxQjtBQUFBLE1BQzlDLEVBQUUsTUFBTSxhQUFhLFNBQVMsT0FBTztBQUFBLE1BQ3JDLEVBQUUsTUFBTSxRQUFRLFNBQVMsU0FBUztBQUFBLElBQ3BDO0FBQUEsRUFDRjtBQUFBLEVBQ0E7QUFBQSxJQUNFLE1BQU07QUFBQSxJQUNOLE9BQU87QUFBQSxJQUNQLFVBQVU7QUFBQSxNQUNSLEVBQUUsTUFBTSxRQUFRLFNBQVMsNkRBQThCO0FBQUEsTUFDdkQsRUFBRSxNQUFNLGFBQWEsU0FBUywrQkFBVztBQUFBLE1BQ3pDLEVBQUUsTUFBTSxRQUFRLFNBQVMsS0FBSztBQUFBLElBQ2hDO0FBQUEsRUFDRjtBQUFBLEVBQ0E7QUFBQSxJQUNFLE1BQU07QUFBQSxJQUNOLE9BQU87QUFBQSxJQUNQLFVBQVU7QUFBQSxNQUNSLEVBQUUsTUFBTSxVQUFVLFNBQVMsZUFBZTtBQUFBLE1BQzFDLEVBQUUsTUFBTSxRQUFRLFNBQVMsd0RBQXdEO0FBQUEsTUFDakYsRUFBRSxNQUFNLGFBQWEsU0FBUyxJQUFJLFlBQVksQ0FBQyxLQUFLLFFBQVEsTUFBTSxJQUFJLENBQUMsRUFBRTtBQUFBLE1BQ3pFLEVBQUUsTUFBTSxRQUFRLGNBQWMsTUFBTSxTQUFTLGNBQWM7QUFBQSxNQUMzRCxFQUFFLE1BQU0sYUFBYSxTQUFTLFVBQVUsWUFBWSxDQUFDLEtBQUssUUFBUSxrRkFBa0YsSUFBSSxDQUFDLEVBQUU7QUFBQSxNQUMzSixFQUFFLE1BQU0sUUFBUSxjQUFjLE1BQU0sU0FBUyxLQUFLO0FBQUEsTUFDbEQsRUFBRSxNQUFNLGFBQWEsU0FBUyxRQUFRO0FBQUEsTUFDdEMsRUFBRSxNQUFNLFFBQVEsU0FBUyxRQUFRO0FBQUEsSUFDbkM7QUFBQSxFQUNGO0FBQUEsRUFDQTtBQUFBLElBQ0UsTUFBTTtBQUFBLElBQ04sT0FBTztBQUFBLElBQ1AsVUFBVTtBQUFBLE1BQ1IsRUFBRSxNQUFNLFFBQVEsU0FBUyxPQUFPO0FBQUEsTUFDaEMsRUFBRSxNQUFNLGFBQWEsU0FBUyxJQUFJLFlBQVksQ0FBQyxLQUFLLFFBQVEsTUFBTSxJQUFJLEdBQUcsS0FBSyxRQUFRLGlCQUFpQixJQUFJLENBQUMsRUFBRTtBQUFBLE1BQzlHLEVBQUUsTUFBTSxRQUFRLGNBQWMsTUFBTSxTQUFTLFNBQVM7QUFBQSxNQUN0RCxFQUFFLE1BQU0sUUFBUSxjQUFjLE1BQU0sU0FBUyxRQUFRO0FBQUEsTUFDckQsRUFBRSxNQUFNLFFBQVEsU0FBUyxRQUFRO0FBQUEsSUFDbkM7QUFBQSxFQUNGO0FBQ0Y7OztBQy9CQSxlQUFzQixjQUFjLFNBQWlDO0FBQ25FLGFBQVcsYUFBYSx5QkFBeUI7QUFDL0MsVUFBTUMsU0FBUSxVQUFVLFFBQVEsV0FBVyxlQUFlLElBQUk7QUFDOUQsUUFBSUEsVUFBUyxDQUFDLFFBQVEsT0FBTyxTQUFTLFNBQVMsT0FBTyxFQUFHO0FBQ3pELFVBQU0sa0JBQWtCLFNBQVMsVUFBVSxNQUFNLFVBQVUsVUFBVUEsTUFBSztBQUFBLEVBQzVFO0FBQ0EsUUFBTSxhQUFhLE9BQU87QUFDNUI7QUFFTyxTQUFTLFdBQVcsTUFBK0I7QUFDeEQsUUFBTSxRQUFRLGNBQWMsSUFBSTtBQUNoQyxNQUFJLE1BQU0sU0FBUyxRQUFTLE9BQU0sSUFBSSxZQUFZLHdCQUF3QjtBQUMxRSxTQUFPLEVBQUUsTUFBTSxNQUFNO0FBQ3ZCO0FBRUEsZUFBZSxrQkFBa0IsU0FBa0IsTUFBYyxVQUE4QkEsUUFBOEM7QUFDM0ksUUFBTSxFQUFFLFVBQVUsVUFBVSxVQUFVLElBQUk7QUFDMUMsUUFBTSxFQUFFLE1BQU0sT0FBTyxNQUFNLElBQUksU0FBUyxPQUFPLFVBQVVBLFFBQU8sSUFBSTtBQUNwRSxRQUFNLFFBQVEsTUFBTSxXQUFXLE1BQU0sU0FBUyxFQUFFO0FBQ2hELFFBQU0sWUFBWSxNQUFNLFVBQVUsT0FBTyxPQUFPLE1BQU0sRUFBRSxrQkFBa0IsTUFBTSxDQUFDLEdBQUcsT0FBTztBQUMzRixRQUFNLE1BQU0sTUFBTSxTQUFTLFdBQVcsVUFBVUEsTUFBSztBQUNyRCxNQUFJLENBQUMsS0FBSyxLQUFLLFFBQVEsRUFBRyxPQUFNLElBQUksTUFBTSxJQUFJLElBQUksaURBQWlEO0FBQ25HLE1BQUksU0FBUyxPQUFPLEdBQUcsTUFBTSxNQUFPLE9BQU0sSUFBSSxNQUFNLElBQUksSUFBSSwyQkFBMkI7QUFFdkYsUUFBTSxRQUFRLFNBQVMsVUFBVSxDQUFDLFlBQVksUUFBUSxTQUFTLFdBQVc7QUFDMUUsTUFBSSxPQUEwQixNQUFNLFNBQVMsV0FBVyxTQUFTLE1BQU0sR0FBRyxLQUFLLEdBQUdBLE1BQUs7QUFDdkYsV0FBUyxLQUFLLE9BQU8sS0FBSyxTQUFTLFVBQVU7QUFDM0MsVUFBTSxPQUFPLFNBQVMsVUFBVSxDQUFDLFNBQVMsTUFBTSxJQUFJLE1BQU0sUUFBUSxTQUFTLFdBQVc7QUFDdEYsVUFBTSxNQUFNLE9BQU8sSUFBSSxTQUFTLFNBQVM7QUFDekMsVUFBTSxPQUFPLE1BQU0sUUFBUSxTQUFTLFNBQVMsTUFBTSxHQUFHLEtBQUssQ0FBQyxHQUFHQSxRQUFPLElBQUk7QUFDMUUsV0FBTyxDQUFDLEdBQUcsTUFBTSxHQUFHLE1BQU0sU0FBUyxTQUFTLEdBQUksTUFBTSxTQUFTLGFBQWEsU0FBUyxNQUFNLEtBQUssR0FBRyxHQUFHLEdBQUdBLFFBQU8sSUFBSSxDQUFFO0FBQ3RILFNBQUs7QUFBQSxFQUNQO0FBQ0EsTUFBSSxTQUFTLE9BQU8sSUFBSSxNQUFNLE1BQU8sT0FBTSxJQUFJLE1BQU0sSUFBSSxJQUFJLGlGQUFpRjtBQUM5SSxNQUFJLENBQUMsS0FBSyxNQUFNLFFBQVEsRUFBRyxPQUFNLElBQUksTUFBTSxJQUFJLElBQUksb0NBQW9DO0FBQ3pGO0FBR0EsZUFBZSxRQUFRLFNBQWtCLFVBQThCQSxRQUErQixNQUFxRDtBQUN6SixRQUFNLEVBQUUsTUFBTSxNQUFNLElBQUksUUFBUSxTQUFTLE9BQU8sVUFBVUEsUUFBTyxLQUFLO0FBQ3RFLFFBQU0sU0FBUyxRQUFRLFNBQVMsT0FBTyxJQUFJO0FBQzNDLFFBQU0sUUFBUSxLQUFLLFdBQVcsTUFBTSxTQUFTLEVBQUU7QUFDL0MsTUFBSSxDQUFDLE1BQU0sV0FBVyxNQUFNLEVBQUcsT0FBTSxJQUFJLE1BQU0sd0ZBQXdGO0FBQ3ZJLFFBQU0sUUFBUSxRQUFRLFNBQVMsT0FBTyxDQUFDLFFBQVEsU0FBUyxPQUFPLENBQUM7QUFDaEUsUUFBTSxPQUFPLE1BQU0sTUFBTSxPQUFPLFFBQVEsTUFBTSxZQUFZLEtBQUssQ0FBQztBQUNoRSxTQUFPLFFBQVEsUUFBUSxPQUFPLE1BQU0sTUFBTSxPQUFPO0FBQ25EO0FBRUEsZUFBZSxhQUFhLEVBQUUsVUFBVSxTQUFTLE9BQU8sR0FBMkI7QUFDakYsUUFBTSxhQUFhLElBQUksSUFBSSxPQUFPLFlBQVksSUFBSSxDQUFDLFVBQVUsTUFBTSxFQUFFLENBQUM7QUFDdEUsYUFBVyxFQUFFLFFBQVEsS0FBSyxPQUFPLGFBQWE7QUFDNUMsVUFBTSxNQUFNLE1BQU0sUUFBUSxZQUFZLE9BQU87QUFDN0MsUUFBSSxJQUFJLEtBQUssQ0FBQyxPQUFPLFdBQVcsSUFBSSxFQUFFLENBQUMsRUFBRyxPQUFNLElBQUksTUFBTSxjQUFjLEtBQUssVUFBVSxPQUFPLENBQUMsMEJBQTBCO0FBQUEsRUFDM0g7QUFDQSxRQUFNLFFBQVEsQ0FBQyxRQUEyQixJQUFJLE9BQU8sQ0FBQyxPQUFPLFdBQVcsSUFBSSxFQUFFLENBQUMsRUFBRTtBQUNqRixRQUFNLFVBQVUsT0FBTyxZQUFZLE1BQU0sR0FBRyxFQUFFLEVBQUUsSUFBSSxDQUFDLFVBQVUsTUFBTSxPQUFPLEVBQUUsS0FBSyxHQUFHO0FBQ3RGLFFBQU0sUUFBUSxNQUFNLFNBQVMsV0FBVyxDQUFDLEVBQUUsTUFBTSxRQUFRLFNBQVMsSUFBSSxDQUFDLEdBQUcsSUFBSTtBQUM5RSxRQUFNLFNBQVMsTUFBTSxTQUFTLFdBQVcsQ0FBQyxFQUFFLE1BQU0sUUFBUSxTQUFTLFFBQVEsQ0FBQyxHQUFHLElBQUk7QUFDbkYsTUFBSSxNQUFNLE1BQU0sTUFBTSxNQUFNLEtBQUssRUFBRyxPQUFNLElBQUksTUFBTSx5Q0FBeUM7QUFDL0Y7QUFFQSxTQUFTLEtBQUssR0FBc0IsR0FBK0I7QUFDakUsU0FBTyxFQUFFLFdBQVcsRUFBRSxVQUFVLEVBQUUsTUFBTSxDQUFDLElBQUksTUFBTSxPQUFPLEVBQUUsQ0FBQyxDQUFDO0FBQ2hFOzs7QUN0RkEsU0FBUyxpQkFBaUI7QUFJMUIsSUFBTSxnQkFBZ0I7QUFDdEIsSUFBTSxpQkFBaUI7QUFPaEIsSUFBTSxjQUFOLE1BQWtCO0FBQUEsRUFDZDtBQUFBLEVBQ0E7QUFBQSxFQUNBLFNBQVMsSUFBSSxJQUF1QixhQUFhO0FBQUEsRUFFMUQsWUFBWSxtQkFBMkIsU0FBd0I7QUFDN0QsU0FBSyxRQUFRLFVBQVUsV0FBVyxpQkFBaUI7QUFDbkQsU0FBSyxXQUFXO0FBQUEsRUFDbEI7QUFBQSxFQUVBLE1BQU0sT0FBTyxVQUFrQixTQUFvQztBQUNqRSxVQUFNLFNBQVMsS0FBSyxTQUFTLE1BQU0sUUFBUTtBQUMzQyxVQUFNLFVBQVUsTUFBTSxRQUFRO0FBQUEsTUFDNUIsT0FBTyxJQUFJLENBQUMsVUFBVyxPQUFPLFVBQVUsV0FBVyxDQUFDLEtBQUssSUFBSSxLQUFLLFlBQVksTUFBTSxXQUFXLFNBQVMsRUFBRSxDQUFDLENBQUU7QUFBQSxJQUMvRztBQUNBLFdBQU8sUUFBUSxLQUFLO0FBQUEsRUFDdEI7QUFBQTtBQUFBLEVBR0EsTUFBTSxZQUFZLE1BQTBDO0FBQzFELFFBQUksU0FBUyxHQUFJLFFBQU8sQ0FBQztBQUN6QixVQUFNLE9BQU8sS0FBSyxPQUFPLElBQUksSUFBSTtBQUNqQyxRQUFJLEtBQU0sUUFBTztBQUNqQixVQUFNLE9BQU8sTUFBTSxLQUFLLE1BQU0sT0FBTyxNQUFNLE1BQU0sRUFBRSxrQkFBa0IsTUFBTSxDQUFDLEdBQUcsT0FBTztBQUN0RixRQUFJLEtBQUssVUFBVSxlQUFnQixNQUFLLE9BQU8sSUFBSSxNQUFNLEdBQUc7QUFDNUQsV0FBTztBQUFBLEVBQ1Q7QUFDRjs7O0FkNUJBLGVBQXNCLGFBQWEsV0FBc0M7QUFDdkUsUUFBTSxTQUFTLE1BQU0sZ0JBQWdCLFNBQVM7QUFDOUMsTUFBSTtBQUNGLFVBQU0sWUFBWUMsV0FBVSxXQUFXLE9BQU8sYUFBYTtBQUMzRCx1QkFBbUIsTUFBTTtBQUN6QixVQUFNLFVBQVUsSUFBSSxjQUFjLE9BQU8sV0FBVztBQUNwRCxVQUFNLFdBQVcsSUFBSSxhQUFhLE9BQU8sVUFBVSxTQUFTLEVBQUUsV0FBVyxPQUFPLFVBQVUsV0FBVyxPQUFPLFNBQVMsQ0FBQztBQUN0SCxVQUFNLFVBQVUsSUFBSSxZQUFZLE9BQU8sbUJBQW1CLE9BQU87QUFDakUsVUFBTSxRQUFRLFFBQVEsVUFBVSxPQUFPO0FBQ3ZDLFVBQU0sU0FBUyxPQUFPLFlBQVksT0FBTyxDQUFDLFVBQVUsTUFBTSxXQUFXLENBQUMsTUFBTSxRQUFRLFNBQVMsV0FBVyxDQUFDO0FBQ3pHLFVBQU0sV0FBVyxJQUFJLFNBQVM7QUFBQSxNQUM1QjtBQUFBLE1BQ0E7QUFBQSxNQUNBLFNBQVMsVUFBVSxRQUFRLFNBQVM7QUFBQSxNQUNwQztBQUFBLE1BQ0EsU0FBUyxDQUFDLEdBQUcsb0JBQUksSUFBSSxDQUFDLE1BQU0sSUFBSSxHQUFHLE9BQU8sTUFBTSxDQUFDLENBQUM7QUFBQSxNQUNsRCxXQUFXLG9CQUFJLElBQUksQ0FBQyxNQUFNLElBQUksR0FBRyxPQUFPLFFBQVEsR0FBRyxPQUFPLElBQUksQ0FBQyxVQUFVLE1BQU0sRUFBRSxDQUFDLENBQUM7QUFBQSxNQUNuRixRQUFRLE9BQU8sU0FBUyxTQUFTLGFBQWEsSUFBSSxrQkFBa0I7QUFBQSxNQUNwRSxpQkFBaUIsT0FBTztBQUFBLE1BQ3hCLG9CQUFvQixPQUFPO0FBQUEsSUFDN0IsQ0FBQztBQUNELFVBQU0sY0FBYyxFQUFFLFVBQVUsVUFBVSxTQUFTLFdBQVcsT0FBTyxDQUFDO0FBQ3RFLFdBQU87QUFBQSxFQUNULFNBQVMsT0FBTztBQUNkLFFBQUksaUJBQWlCLFlBQVksTUFBTSxTQUFTLGNBQWUsT0FBTTtBQUNyRSxVQUFNLE1BQU0saUJBQWlCLFdBQVcsTUFBTSxjQUFjLGlCQUFpQixRQUFRLE1BQU0sVUFBVSxPQUFPLEtBQUs7QUFDakgsVUFBTSxRQUFRLFdBQVcsR0FBRztBQUFBLEVBQzlCO0FBQ0Y7QUFFQSxTQUFTLG1CQUFtQixFQUFFLFlBQVksR0FBc0I7QUFDOUQsYUFBVyxFQUFFLFNBQVMsUUFBUSxRQUFRLFlBQVksS0FBSyxhQUFhO0FBQ2xFLFVBQU0sUUFBUSxLQUFLLFVBQVUsT0FBTztBQUNwQyxRQUFJLFVBQVUsVUFBVSxZQUFhLE9BQU0sSUFBSSxNQUFNLGVBQWUsS0FBSyxzQ0FBc0M7QUFDL0csUUFBSSxDQUFDLEdBQUcsT0FBTyxFQUFFLFNBQVMsRUFBRyxPQUFNLElBQUksTUFBTSxlQUFlLEtBQUsscURBQXFEO0FBQ3RILFFBQUksUUFBUSxLQUFLLE1BQU0sR0FBSSxPQUFNLElBQUksTUFBTSxlQUFlLEtBQUssaUJBQWlCO0FBQUEsRUFDbEY7QUFDRjtBQUdBLFNBQVMsUUFBUSxVQUF3QixTQUFzRDtBQUM3RixRQUFNLEVBQUUsTUFBTSxNQUFNLElBQUksU0FBUztBQUFBLElBQy9CO0FBQUEsTUFDRSxFQUFFLE1BQU0sUUFBUSxTQUFTLElBQUk7QUFBQSxNQUM3QixFQUFFLE1BQU0sYUFBYSxTQUFTLFNBQVM7QUFBQSxJQUN6QztBQUFBLElBQ0E7QUFBQSxJQUNBO0FBQUEsRUFDRjtBQUNBLFFBQU0sUUFBUSxLQUFLLE1BQU0sS0FBSyxZQUFZLFFBQVEsSUFBSSxTQUFTLE1BQU0sRUFBRSxXQUFXLE1BQU0sU0FBUyxFQUFFO0FBQ25HLFFBQU0sQ0FBQyxLQUFLLElBQUksUUFBUSxNQUFNLEtBQUs7QUFDbkMsUUFBTSxRQUFRLENBQUMsR0FBRyxRQUFRLE1BQU0sRUFBRSxLQUFLLENBQUMsQ0FBQyxFQUFFLEVBQUUsTUFBTSxPQUFPLEtBQUs7QUFDL0QsTUFBSSxDQUFDLE1BQU8sT0FBTSxJQUFJLE1BQU0sb0VBQW9FO0FBQ2hHLFNBQU8sRUFBRSxNQUFNLE1BQU0sQ0FBQyxHQUFHLElBQUksTUFBTSxDQUFDLEVBQUU7QUFDeEM7QUFFQSxTQUFTLFVBQVUsUUFBcUIsV0FBd0M7QUFDOUUsUUFBTSxFQUFFLFFBQVEsSUFBSSxLQUFLLE1BQU0sT0FBTyxhQUFhO0FBQ25ELE1BQUksU0FBUyxTQUFTLFlBQWEsT0FBTSxJQUFJLE1BQU0sNEJBQTRCLFNBQVMsUUFBUSxTQUFTLGtDQUFrQztBQUMzSSxTQUFPLElBQUksaUJBQWlCLFVBQVUsU0FBUyxLQUFLLEdBQUcsSUFBSSxJQUFJLE9BQU8sWUFBWSxJQUFJLENBQUMsVUFBVSxDQUFDLE1BQU0sU0FBUyxNQUFNLEVBQUUsQ0FBQyxDQUFDLENBQUM7QUFDOUg7OztBZXZFQSxTQUFTLFlBQUFDLGlCQUFnQjtBQUN6QixTQUFTLGFBQUFDLGtCQUFpQjtBQVMxQixJQUFNLE9BQU87QUFDYixJQUFNLGVBQWU7QUFNZCxJQUFNLGNBQU4sTUFBa0I7QUFBQSxFQUNkO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQTtBQUFBLEVBRUEsU0FBUyxvQkFBSSxJQUFzQjtBQUFBLEVBRTVDLFlBQVksRUFBRSxlQUFlLGFBQWEsR0FBb0Q7QUFDNUYsU0FBSyxZQUFZLElBQUlELFVBQVMsWUFBWTtBQUMxQyxTQUFLLFlBQVlDLFdBQVUsV0FBVyxhQUFhO0FBQ25ELFNBQUssV0FBV0EsV0FBVSxXQUFXLEtBQUssVUFBVSxFQUFFLEdBQUcsS0FBSyxNQUFNLGFBQWEsR0FBRyxjQUFjLENBQUMsRUFBRSxDQUFDLENBQUM7QUFBQSxFQUN6RztBQUFBO0FBQUEsRUFHQSxNQUFNLE9BQU8sVUFBeUJDLFFBQTJCLHFCQUFpRDtBQUNoSCxVQUFNLFdBQXFCLENBQUM7QUFDNUIsVUFBTSxTQUFTLFNBQVMsSUFBSSxDQUFDLFlBQVk7QUFDdkMsVUFBSSxRQUFRLFNBQVMsWUFBYSxRQUFPO0FBQ3pDLGVBQVMsS0FBSyxRQUFRLE9BQU87QUFDN0IsYUFBTyxFQUFFLEdBQUcsU0FBUyxTQUFTLEtBQUs7QUFBQSxJQUNyQyxDQUFDO0FBQ0QsVUFBTSxPQUFPLEtBQUssVUFBVSxPQUFPLEVBQUUsVUFBVSxRQUFRLE9BQU8sQ0FBQyxHQUFHQSxNQUFLLEdBQUcsdUJBQXVCLG9CQUFvQixDQUFDO0FBQ3RILFVBQU0sTUFBZ0IsQ0FBQztBQUN2QixlQUFXLENBQUMsR0FBRyxLQUFLLEtBQUssS0FBSyxNQUFNLElBQUksRUFBRSxRQUFRLEdBQUc7QUFDbkQsVUFBSSxLQUFLLEdBQUksTUFBTSxLQUFLLGVBQWUsS0FBSyxDQUFFO0FBQzlDLFlBQU0sVUFBVSxTQUFTLENBQUM7QUFDMUIsVUFBSSxZQUFZLE9BQVcsS0FBSSxLQUFLLEdBQUksTUFBTSxLQUFLLGNBQWMsT0FBTyxDQUFFO0FBQUEsSUFDNUU7QUFDQSxXQUFPO0FBQUEsRUFDVDtBQUFBLEVBRUEsTUFBTSxlQUFlLE1BQWlDO0FBQ3BELFdBQU8sS0FBSyxVQUFVLEtBQUssV0FBVyxLQUFLLElBQUk7QUFBQSxFQUNqRDtBQUFBLEVBRUEsTUFBTSxjQUFjLE1BQWlDO0FBQ25ELFdBQU8sS0FBSyxVQUFVLEtBQUssVUFBVSxLQUFLLElBQUk7QUFBQSxFQUNoRDtBQUFBO0FBQUEsRUFHQSxNQUFNLGlCQUFpQixNQUFpQztBQUN0RCxXQUFPO0FBQUEsTUFDTCxHQUFJLE1BQU0sS0FBSyxlQUFlLHNCQUFzQjtBQUFBLE1BQ3BELEdBQUksTUFBTSxLQUFLLGNBQWMsSUFBSTtBQUFBLE1BQ2pDLEdBQUksTUFBTSxLQUFLLGVBQWUscUNBQXFDO0FBQUEsSUFDckU7QUFBQSxFQUNGO0FBQUE7QUFBQSxFQUdBLE1BQU0sV0FBVyxNQUFjLE1BQWtEO0FBQy9FLFdBQU8sS0FBSyxlQUFlLEdBQUcsYUFBYSxNQUFNLElBQUksQ0FBQyxZQUFZO0FBQUEsRUFDcEU7QUFBQSxFQUVBLE1BQU0sT0FBTyxLQUFnQztBQUMzQyxXQUFPLEtBQUssVUFBVSxPQUFPLEtBQUssS0FBSztBQUFBLEVBQ3pDO0FBQUEsRUFFQSxNQUFNLFVBQVUsV0FBc0IsTUFBYyxNQUFpQztBQUNuRixRQUFJLFNBQVMsR0FBSSxRQUFPLENBQUM7QUFDekIsVUFBTSxNQUFNLE9BQU87QUFDbkIsUUFBSSxNQUFNLEtBQUssT0FBTyxJQUFJLEdBQUc7QUFDN0IsUUFBSSxDQUFDLEtBQUs7QUFDUixhQUFPLE1BQU0sVUFBVSxPQUFPLE1BQU0sTUFBTSxFQUFFLGtCQUFrQixNQUFNLENBQUMsR0FBRyxPQUFPO0FBQy9FLFVBQUksS0FBSyxPQUFPLE9BQU8sYUFBYyxNQUFLLE9BQU8sSUFBSSxLQUFLLEdBQUc7QUFBQSxJQUMvRDtBQUNBLFdBQU87QUFBQSxFQUNUO0FBQ0Y7QUFHQSxTQUFTLGFBQWEsTUFBYyxNQUF1QztBQUN6RSxRQUFNLFFBQVEsT0FBTyxRQUFRLElBQUksRUFBRSxJQUFJLENBQUMsQ0FBQyxLQUFLLEtBQUssTUFBTSxHQUFHLEtBQUssVUFBVSxHQUFHLENBQUMsS0FBSyxLQUFLLFVBQVUsS0FBSyxDQUFDLEVBQUU7QUFDM0csU0FBTztBQUFBLFdBQXlCLEtBQUssVUFBVSxJQUFJLENBQUMsbUJBQW1CLE1BQU0sS0FBSyxJQUFJLENBQUM7QUFBQTtBQUN6Rjs7O0FDdEZPLElBQU0sU0FBTixNQUFhO0FBQUEsRUFDbEI7QUFBQSxFQUVBLFlBQVksTUFBYztBQUN4QixTQUFLLFNBQVMsU0FBUztBQUFBLEVBQ3pCO0FBQUEsRUFFQSxJQUFJLFFBQWdCO0FBQ2xCLFdBQU8sS0FBSztBQUFBLEVBQ2Q7QUFBQSxFQUVBLE9BQWU7QUFDYixTQUFLLFNBQVUsS0FBSyxTQUFTLGFBQWM7QUFDM0MsUUFBSSxJQUFJLEtBQUssS0FBSyxLQUFLLFNBQVUsS0FBSyxXQUFXLElBQUssSUFBSSxLQUFLLE1BQU07QUFDckUsUUFBSyxJQUFJLEtBQUssS0FBSyxJQUFLLE1BQU0sR0FBSSxLQUFLLENBQUMsSUFBSztBQUM3QyxhQUFTLElBQUssTUFBTSxRQUFTLEtBQUs7QUFBQSxFQUNwQztBQUFBO0FBQUEsRUFHQSxNQUFNQyxJQUFtQjtBQUN2QixXQUFPLEtBQUssTUFBTSxLQUFLLEtBQUssSUFBSUEsRUFBQztBQUFBLEVBQ25DO0FBQUEsRUFFQSxLQUFRLE1BQStCO0FBQ3JDLFdBQU8sS0FBSyxLQUFLLE1BQU0sS0FBSyxNQUFNLENBQUMsS0FBSyxLQUFLLENBQUM7QUFBQSxFQUNoRDtBQUNGO0FBR08sU0FBUyxPQUFPLE1BQXNCO0FBQzNDLE1BQUksSUFBSTtBQUNSLFdBQVMsSUFBSSxHQUFHLElBQUksS0FBSyxRQUFRLElBQUssS0FBSSxLQUFLLEtBQUssSUFBSSxLQUFLLFdBQVcsQ0FBQyxHQUFHLFFBQVE7QUFDcEYsT0FBSyxNQUFNO0FBQ1gsU0FBTyxNQUFNO0FBQ2Y7OztBQ2hDTyxJQUFNLGdCQUFnQjtBQVU3QixJQUFNLFVBQVU7QUFBQSxFQUNkLEtBQUssRUFBRSxPQUFPLENBQUMsa0JBQWtCLFVBQVUsR0FBRyxZQUFZLFNBQVMsV0FBVyxDQUFDLEdBQUcsTUFBTSxJQUFJLEVBQUU7QUFBQSxFQUM5RixLQUFLLEVBQUUsT0FBTyxDQUFDLGFBQWEsdUJBQXVCLEdBQUcsWUFBWSxTQUFTLFdBQVcsQ0FBQyxHQUFHLE1BQU0sSUFBSSxFQUFFO0FBQUEsRUFDdEcsS0FBSyxFQUFFLE9BQU8sQ0FBQyxzQkFBc0IsV0FBVyxHQUFHLFlBQVksU0FBUyxXQUFXLENBQUMsR0FBRyxNQUFNLElBQUksRUFBRTtBQUFBLEVBQ25HLEtBQUssRUFBRSxPQUFPLENBQUMsdUJBQXVCLFlBQVksR0FBRyxZQUFZLFNBQVMsV0FBVyxDQUFDLEdBQUcsTUFBTSxJQUFJLEVBQUU7QUFBQSxFQUNyRyxLQUFLLEVBQUUsT0FBTyxDQUFDLHFCQUFxQixvQkFBb0IsR0FBRyxZQUFZLGtCQUFrQixXQUFXLENBQUMsR0FBRyxNQUFNLEtBQUssSUFBSSxHQUFHLENBQUMsRUFBRTtBQUFBLEVBQzdILEtBQUssRUFBRSxPQUFPLENBQUMsc0JBQXNCLG9CQUFvQixHQUFHLFlBQVksa0JBQWtCLFdBQVcsQ0FBQyxHQUFHLE1BQU0sS0FBSyxJQUFJLEdBQUcsQ0FBQyxFQUFFO0FBQUEsRUFDOUgsS0FBSyxFQUFFLE9BQU8sQ0FBQywyQkFBMkIsZ0JBQWdCLEdBQUcsWUFBWSxVQUFVLFdBQVcsQ0FBQyxHQUFHLE1BQU0sS0FBSyxFQUFFO0FBQUEsRUFDL0csSUFBSSxFQUFFLE9BQU8sQ0FBQyx3QkFBd0IsaUJBQWlCLEdBQUcsWUFBWSxTQUFTLFdBQVcsQ0FBQyxHQUFHLE1BQU0sSUFBSSxFQUFFO0FBQzVHO0FBRUEsSUFBTSxlQUFlLE9BQU8sS0FBSyxPQUFPO0FBRXhDLElBQU0sUUFBUSxDQUFDLFNBQVMsT0FBTyxRQUFRLFNBQVMsU0FBUyxRQUFRLFNBQVMsUUFBUSxTQUFTLFNBQVMsU0FBUyxTQUFTLFNBQVMsT0FBTyxTQUFTLE9BQU87QUFDdEosSUFBTSxRQUFRLENBQUMsV0FBVyxXQUFXLFdBQVcsWUFBWSxXQUFXLFNBQVM7QUFDaEYsSUFBTSxZQUFZO0FBQ2xCLElBQU0scUJBQXFCO0FBNkIzQixJQUFNLFFBQVEsQ0FBQyxZQUFvQixRQUFRLFdBQVcsS0FBSyxHQUFHLEVBQUUsV0FBVyxLQUFLLEdBQUc7QUFHNUUsU0FBUyxPQUFPLFFBQTRCO0FBQ2pELFNBQU8sVUFBVSxNQUFNLFFBQVEsTUFBTSxFQUFFLFVBQVUsQ0FBQztBQUNwRDtBQUVPLFNBQVMsV0FBVyxNQUEwQjtBQUNuRCxRQUFNLFNBQVMsSUFBSSxPQUFPLElBQUk7QUFDOUIsUUFBTSxRQUFRLG9CQUFJLElBQVk7QUFDOUIsU0FBTyxNQUFNLE9BQU8sVUFBVyxPQUFNLElBQUksT0FBTyxLQUFLLEtBQUssQ0FBQztBQUMzRCxRQUFNLFlBQVksQ0FBQyxHQUFHLEtBQUssRUFBRSxJQUFJLENBQUMsU0FBeUI7QUFDekQsVUFBTSxTQUFTLE9BQU8sS0FBSyxZQUFZO0FBQ3ZDLFVBQU0sUUFBd0MsUUFBUSxNQUFNLEVBQUU7QUFDOUQsV0FBTyxFQUFFLE1BQU0sUUFBUSxPQUFPLE1BQU0sT0FBTyxLQUFLLEtBQUssQ0FBQyxFQUFFO0FBQUEsRUFDMUQsQ0FBQztBQUNELFFBQU0saUJBQWlCLE9BQU8sTUFBTSxTQUFTO0FBQzdDLFFBQU0sU0FBUyxVQUFVLGNBQWM7QUFDdkMsTUFBSSxDQUFDLE9BQVEsT0FBTSxJQUFJLE1BQU0sa0NBQWtDO0FBQy9ELFFBQU0sU0FBUyxhQUFhLE9BQU8sQ0FBQyxTQUFTLFNBQVMsT0FBTyxNQUFNO0FBQ25FLFFBQU0sY0FBYyxPQUFPLE9BQU8sTUFBTSxPQUFPLE1BQU0sQ0FBQyxLQUFLO0FBQzNELFFBQU0sUUFBUSxVQUFVLFFBQVEsQ0FBQyxJQUFJLE1BQU07QUFBQSxJQUN6QyxZQUFZLEdBQUcsSUFBSTtBQUFBLElBQ25CLEtBQUssT0FBTyxNQUFNLGlCQUFpQixjQUFjLEdBQUcsTUFBTSxDQUFDO0FBQUEsSUFDM0Q7QUFBQSxFQUNGLENBQUM7QUFDRCxTQUFPO0FBQUEsSUFDTCxLQUFLLEdBQUcsYUFBYSxHQUFHLElBQUk7QUFBQSxJQUM1QjtBQUFBLElBQ0EsTUFBTSxPQUFPLE9BQU8sS0FBSyxLQUFLLENBQUM7QUFBQSxJQUMvQjtBQUFBLElBQ0E7QUFBQSxJQUNBO0FBQUEsSUFDQTtBQUFBO0FBQUEsSUFFQSxTQUFTLE9BQU8sR0FBRyxPQUFPLElBQUksSUFBSSxPQUFPLEtBQUssRUFBRSxJQUFJLE1BQU07QUFBQSxFQUM1RDtBQUNGO0FBMEJPLFNBQVMsZUFBZSxNQUFrQixlQUErQjtBQUM5RSxRQUFNLEtBQUssS0FBSyxVQUFVLGFBQWE7QUFDdkMsU0FBTyxhQUFhLGdCQUFnQixxQkFBcUIsQ0FBQyxLQUFLLElBQUksSUFBSSxjQUFjLElBQUksS0FBSztBQUNoRztBQUVPLElBQU0sdUJBQXVCO0FBRzdCLFNBQVMsY0FBYyxNQUEwQjtBQUN0RCxRQUFNLFdBQVcsS0FBSyxNQUFNLElBQUksQ0FBQyxNQUFNLE1BQU0sR0FBRyxJQUFJLENBQUMsSUFBSSxJQUFJLEVBQUUsRUFBRSxLQUFLLElBQUk7QUFDMUUsU0FBTyxHQUFHLEtBQUssSUFBSTtBQUFBLEVBQUssUUFBUTtBQUFBLEVBQUssZUFBZSxNQUFNLEtBQUssY0FBYyxDQUFDO0FBQ2hGO0FBR08sSUFBTSxlQUFlO0FBQUEsRUFDMUIsRUFBRSxNQUFNLFlBQVksVUFBVSxFQUFFLE1BQU0sUUFBUSxhQUFhLGtCQUFrQixZQUFZLEVBQUUsTUFBTSxVQUFVLFlBQVksQ0FBQyxFQUFFLEVBQUUsRUFBRTtBQUFBLEVBQzlIO0FBQUEsSUFDRSxNQUFNO0FBQUEsSUFDTixVQUFVO0FBQUEsTUFDUixNQUFNO0FBQUEsTUFDTixhQUFhO0FBQUEsTUFDYixZQUFZO0FBQUEsUUFDVixNQUFNO0FBQUEsUUFDTixZQUFZLEVBQUUsTUFBTSxFQUFFLE1BQU0sVUFBVSxHQUFHLE1BQU0sRUFBRSxNQUFNLFNBQVMsRUFBRTtBQUFBLFFBQ2xFLFVBQVUsQ0FBQyxRQUFRLE1BQU07QUFBQSxNQUMzQjtBQUFBLElBQ0Y7QUFBQSxFQUNGO0FBQUEsRUFDQSxFQUFFLE1BQU0sWUFBWSxVQUFVLEVBQUUsTUFBTSxVQUFVLGFBQWEsV0FBVyxZQUFZLEVBQUUsTUFBTSxVQUFVLFlBQVksQ0FBQyxFQUFFLEVBQUUsRUFBRTtBQUMzSDs7O0FuQnBKQSxJQUFNLE1BQU07QUFDWixJQUFNLElBQUksTUFBTSxhQUFhLEdBQUc7QUFDaEMsSUFBTSxJQUFJLElBQUksWUFBWSxFQUFFLGVBQWUsYUFBYSxNQUFNLG1CQUFtQixNQUFNLEdBQUcsY0FBYyxhQUFhLE1BQU0sd0JBQXdCLE1BQU0sRUFBRSxDQUFDO0FBQzVKLElBQU0sUUFBUSxXQUFXLEtBQUssVUFBVSxZQUFZLENBQUM7QUFDckQsSUFBSSxNQUFNO0FBQUcsSUFBSSxJQUFJO0FBQ3JCLElBQU0sS0FBSyxRQUFRLFNBQVM7QUFDNUIsU0FBUyxJQUFJLEdBQUcsSUFBSSxLQUFLLEtBQUs7QUFDNUIsUUFBTSxPQUFPLFdBQVcsQ0FBQztBQUN6QixRQUFNLFdBQVcsQ0FBQyxFQUFFLE1BQU0sVUFBbUIsU0FBUyxxQkFBcUIsR0FBRyxFQUFFLE1BQU0sUUFBaUIsU0FBUyxjQUFjLElBQUksRUFBRSxDQUFDO0FBQ3JJLFFBQU0sSUFBSSxNQUFNLEVBQUUsV0FBVyxVQUFVLEtBQUs7QUFDNUMsUUFBTSxJQUFJLE1BQU0sRUFBRSxPQUFPLFVBQVUsY0FBYyxJQUFJO0FBQ3JELE1BQUksRUFBRSxLQUFLLE1BQU0sRUFBRSxLQUFLLEdBQUc7QUFBRTtBQUFPLFFBQUksTUFBTSxFQUFHLFNBQVEsSUFBSSxFQUFFLElBQUksQ0FBQyxNQUFNLEVBQUUsT0FBTyxDQUFDLENBQUMsQ0FBQyxDQUFDLEdBQUcsRUFBRSxJQUFJLENBQUMsTUFBTSxFQUFFLE9BQU8sQ0FBQyxDQUFDLENBQUMsQ0FBQyxDQUFDO0FBQUEsRUFBRztBQUN4SCxhQUFXLFFBQVEsQ0FBQyxNQUFNLFFBQVEsa0JBQWtCLGVBQWUsTUFBTSxDQUFDLENBQUMsR0FBRztBQUM1RTtBQUNBLFVBQU0sSUFBSSxNQUFNLEVBQUUsYUFBYSxDQUFDLEVBQUUsTUFBTSxRQUFRLGNBQWMsS0FBSyxTQUFTLEtBQUssQ0FBQyxHQUFHLE9BQU8sSUFBSTtBQUNoRyxVQUFNLElBQUksTUFBTSxFQUFFLGlCQUFpQixJQUFJO0FBQ3ZDLFFBQUksRUFBRSxLQUFLLE1BQU0sRUFBRSxLQUFLLEdBQUc7QUFBRTtBQUFPLFVBQUksTUFBTSxFQUFHLFNBQVEsSUFBSSxHQUFHLENBQUM7QUFBQSxJQUFHO0FBQUEsRUFDdEU7QUFDRjtBQUNBLFFBQVEsSUFBSSxFQUFFLEtBQUssR0FBRyxNQUFNLEVBQUUsU0FBUyxJQUFJLEVBQUUsVUFBVSxLQUFLLFFBQVEsU0FBUyxFQUFFLEVBQUUsQ0FBQzsiLAogICJuYW1lcyI6IFsiVG9rZW5pemVyIiwgIm9wZW4iLCAiY2FsbCIsICJ0b29scyIsICJuIiwgInJlYWRGaWxlIiwgInoiLCAicmVhZEZpbGUiLCAib3BlbiIsICJjYWxsIiwgInRvb2xzIiwgInRvb2xzIiwgIlRva2VuaXplciIsICJUZW1wbGF0ZSIsICJUb2tlbml6ZXIiLCAidG9vbHMiLCAibiJdCn0K
