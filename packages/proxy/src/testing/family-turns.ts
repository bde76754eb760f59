import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Message } from "@liverl/contract/trajectory";
import { Tokenizer } from "tokenizers";
import { chooseFamily } from "#families/choose-family.ts";
import type { Family, ParsedTurn, TurnDelta, TurnStart } from "#families/family.ts";
import { hiddenIdsOf, stopIdsOf } from "#families/turn-ids.ts";
import { plain } from "#jinja/given-text.ts";
import { JinjaTemplate } from "#jinja/jinja-template.ts";
import { parseLossless } from "#json/parse-lossless.ts";
import { ByteLevelDecoder } from "#renderer/byte-level.ts";
import { givenLossless, givenParsed } from "#renderer/given-values.ts";
import { readModelFolder } from "#renderer/model-folder.ts";
import type { ToolDefinitions } from "#renderer/template-values.ts";
import type { FamilyModel } from "#testing/family-models.ts";
import { writeModelFolder } from "#testing/write-model-folder.ts";

const TEMPLATES = join(import.meta.dirname, "templates");

export const toolsOf = (text: string): ToolDefinitions => ({ text, value: parseLossless(text) });

/** Has a parameter of each type. */
export const TURN_TOOLS = toolsOf(`[
  {"type": "function", "function": {"name": "run", "description": "Runs a command.", "parameters": {"type": "object", "properties": {
    "command": {"type": "string"}, "timeout": {"type": "integer"}, "ratio": {"type": "number"},
    "background": {"type": "boolean"}, "env": {"type": "object"}, "files": {"type": "array"},
    "label": {"type": ["string", "null"]}}}}},
  {"type": "function", "function": {"name": "submit", "description": "Ends.", "parameters": {"type": "object", "properties": {}}}}
]`);

export interface ReadGiven {
  tools?: ToolDefinitions | null;
  /** Text before the turn; without it, nothing. */
  prompt?: string;
  visibleLength?: number;
}

/** Turns of a real model's control tokens and template on our own small vocabulary, in which byte b is token b. */
export class FamilyTurns {
  readonly family: Family;
  readonly vocabulary: TurnStart["vocabulary"];
  readonly #tokenizer: Tokenizer;
  readonly #template: JinjaTemplate;

  private constructor(
    family: Family,
    vocabulary: TurnStart["vocabulary"],
    tokenizer: Tokenizer,
    template: JinjaTemplate,
  ) {
    this.family = family;
    this.vocabulary = vocabulary;
    this.#tokenizer = tokenizer;
    this.#template = template;
  }

  static async load(directory: string, model: FamilyModel): Promise<FamilyTurns> {
    const template = await readFile(join(TEMPLATES, `${model.template}.jinja`), "utf8");
    const path = join(directory, `${model.template}-${model.plain.length}`);
    await writeModelFolder(path, { template, tokens: model });
    const folder = await readModelFolder(path);
    const { family, refusal } = chooseFamily(folder);
    if (refusal) throw new Error(refusal);
    const tokenizer = Tokenizer.fromString(folder.tokenizerText);
    const addedIds = new Map(folder.addedTokens.map(({ content, id }) => [content, id]));
    const decoder = new ByteLevelDecoder(tokenizer.getVocab(false), addedIds);
    const stopIds = [...folder.eosIds, ...stopIdsOf(family, addedIds)];
    const vocabulary = {
      bytesOf: (id: number) => decoder.bytesOf(id),
      addedIds,
      hiddenIds: hiddenIdsOf(family, folder.addedTokens, stopIds),
    };
    return new FamilyTurns(family, vocabulary, tokenizer, new JinjaTemplate(folder.template));
  }

  /** As the tokenizer encodes it: control tokens by their own ids. */
  async encode(text: string): Promise<number[]> {
    return (await this.#tokenizer.encode(text, null, { addSpecialTokens: false })).getIds();
  }

  /** Control tokens by their ids and all other text byte by byte: characters lie across tokens. */
  async encodeBytes(text: string): Promise<number[]> {
    const added = new Set(this.vocabulary.addedIds.values());
    const ids = await this.encode(text);
    return ids.flatMap((id) => (added.has(id) ? [id] : [...this.vocabulary.bytesOf(id)]));
  }

  /** Without any control token: a policy may spell one out. */
  spell(text: string): number[] {
    return [...Buffer.from(text)];
  }

  async start({ tools = TURN_TOOLS, prompt = "", visibleLength }: ReadGiven = {}) {
    const promptIds = await this.encode(prompt);
    return this.family.start({ tools, promptIds, visibleLength, vocabulary: this.vocabulary });
  }

  async read(turn: string | readonly number[], given: ReadGiven = {}): Promise<ParsedTurn> {
    const parser = await this.start(given);
    const ids = typeof turn === "string" ? await this.encode(turn) : turn;
    parser.push(ids);
    return parser.end(this.#isEnded(ids, given));
  }

  /** The same, pushed in pieces of these sizes, over and over. */
  async readSplit(ids: readonly number[], sizes: readonly number[], given: ReadGiven = {}) {
    const parser = await this.start(given);
    const deltas: TurnDelta[] = [];
    for (let at = 0, i = 0; at < ids.length; i++) {
      const size = sizes[i % sizes.length] ?? 1;
      deltas.push(...parser.push(ids.slice(at, at + size)));
      at += size;
    }
    return { turn: parser.end(this.#isEnded(ids, given)), deltas };
  }

  /** Whether the model ended the turn itself, as the renderer tells it. */
  #isEnded(ids: readonly number[], { visibleLength }: ReadGiven): boolean {
    return visibleLength === undefined && this.vocabulary.hiddenIds.has(ids.at(-1) ?? -1);
  }

  /** What the model's own template renders. */
  render(
    messages: readonly Message[],
    tools: ToolDefinitions | null,
    generationPrompt: boolean,
    more: Record<string, boolean> = {},
  ): string {
    const values = {
      ...more,
      messages: messages.map((message) => givenParsed(message)),
      tools: tools ? givenLossless(tools.value) : null,
      add_generation_prompt: generationPrompt,
      bos_token: "",
      eos_token: "",
    };
    return plain(this.#template.render(values));
  }
}
