import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ModelConfig } from "#model/architecture.ts";

export interface ModelFolder {
  config: ModelConfig;
  tokenizerText: string;
  chatTemplate: string;
}

export async function readModelFolder(directory: string): Promise<ModelFolder> {
  const read = (name: string) => readFile(join(directory, name), "utf8");
  const config = ModelConfig.parse(JSON.parse(await read("config.json")));
  return {
    config,
    tokenizerText: await read("tokenizer.json"),
    chatTemplate: await read("chat_template.jinja"),
  };
}
