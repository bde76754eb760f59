// What an engine says of itself before anything is played against it.
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { stop } from "./read-options.mjs";

const PATIENCE_MS = 10_000;

/** `{url, modelName, maxModelLen}`, in tokens. Ends where the engine does not answer, or nobody says how long its window is. */
export async function lookAtEngine({ given, keyPath, modelDir }) {
  const url = given.replace(/(?:\/v1)?\/{0,9}$/, "");
  if (!/^https?:\/\//.test(url)) stop(`--engine ${given}: give its address, http://HOST:PORT.`);
  const served = await servedModel(url, keyPath);
  const maxModelLen = served?.max_model_len ?? longestOf(modelDir);
  if (!Number.isInteger(maxModelLen))
    stop(`Neither ${url} nor ${modelDir}/config.json says how many tokens the model takes.`);
  return { url, modelName: served?.id ?? basename(modelDir), maxModelLen };
}

async function servedModel(url, keyPath) {
  const key = keyPath && readFileSync(keyPath, "utf8").trim();
  try {
    const answer = await fetch(`${url}/v1/models`, {
      headers: key ? { authorization: `Bearer ${key}` } : {},
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (answer.status === 401 || answer.status === 403)
      stop(`${url} wants ${key ? "another key" : "a key: give its file as --engine-key"}.`);
    return answer.ok ? (await answer.json()).data?.[0] : undefined;
  } catch (error) {
    return stop(`No engine answers at ${url}: ${error.cause?.message ?? error.message}`);
  }
}

/** As the model's own configuration says. */
function longestOf(modelDir) {
  const path = join(modelDir, "config.json");
  if (!existsSync(path)) return undefined;
  const config = JSON.parse(readFileSync(path, "utf8"));
  return config.max_position_embeddings ?? config.text_config?.max_position_embeddings;
}
