import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { type LosslessValue, parseLossless } from "@liverl/proxy/json/parse-lossless";
import { loadRenderer } from "@liverl/proxy/renderer/load-renderer";
import type { Renderer } from "@liverl/proxy/renderer/renderer";
import { tokensOfTemplate } from "@liverl/proxy/testing/tokens-of-template";
import { writeModelFolder } from "@liverl/proxy/testing/write-model-folder";
import { fieldsOf } from "./render-sides.ts";

/** A model folder that was written, and what the proxy said to it. */
export interface FolderMeta {
  /** The family that it was proven as; null where it was refused. */
  family: string | null;
  /** Why it was refused, or runs as text alone. */
  refused: string | null;
  /** Whether it can be rendered at all, if only in text mode. */
  serves: boolean;
  takesLateSystem: boolean;
  drop: string | null;
}

/** Loads a folder as the product does; what is refused is tried in text mode, whose roots are compared, too. */
export async function loadFolder(
  folder: string,
): Promise<{ renderer: Renderer | null; meta: FolderMeta }> {
  const load = async (textMode: boolean) => {
    try {
      return { renderer: await loadRenderer(folder, { textMode }), why: null };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { renderer: null, why: error.userMessage.replace(/^.* can not be served: /, "") };
    }
  };
  const { renderer, why } = await load(false);
  const used = renderer ?? (await load(true)).renderer;
  const meta = {
    family: renderer?.identity.family ?? null,
    refused: why,
    serves: used !== null,
    takesLateSystem: used?.proof.takesLateSystem ?? true,
    drop: renderer?.proof.drop ?? null,
  };
  return { renderer: used, meta };
}

/** Writes model folders (each real template on our own vocabulary with its control tokens) and the conversations as a client sends them. */
export async function prepare(
  work: string,
  sources: readonly { name: string; source: string }[],
  conversations: readonly string[],
): Promise<void> {
  for (const { name, source } of sources) {
    const folder = join(work, "models", name);
    await writeModelFolder(folder, { template: source, tokens: tokensOfTemplate(name, source) });
    const { meta } = await loadFolder(folder);
    await writeFile(join(folder, "meta.json"), JSON.stringify(meta));
  }
  await mkdir(work, { recursive: true });
  const wire = conversations.flatMap((line) => {
    const conversation = fieldsOf(parseLossless(line));
    // A client can not set a template's switches.
    return fieldsOf(conversation.get("kwargs")).size > 0 ? [] : [onTheWire(line)];
  });
  await writeFile(join(work, "wire.jsonl"), `${wire.join("\n")}\n`);
}

/** Arguments of calls become the text that they are in the protocol; all else stays as it is written. */
function onTheWire(line: string): string {
  const places: LosslessValue[] = [];
  const messages = fieldsOf(parseLossless(line)).get("messages");
  for (const message of messages?.kind === "array" ? messages.elements : []) {
    const calls = fieldsOf(message).get("tool_calls");
    for (const call of calls?.kind === "array" ? calls.elements : []) {
      const given = fieldsOf(fieldsOf(call).get("function")).get("arguments");
      if (given?.kind === "object") places.push(given);
    }
  }
  return places.reduceRight(
    (text, { start, end }) =>
      text.slice(0, start) + JSON.stringify(text.slice(start, end)) + text.slice(end),
    line,
  );
}
