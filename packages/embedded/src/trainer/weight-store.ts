import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@liverl/durable/atomic-file";
import type { Parameters } from "#model/parameters.ts";
import { encodeSafetensors } from "#safetensors/encode-safetensors.ts";

/**
 * `weights/v<k>.safetensors`, one file a version, kept for the life of the run so that every sampled token can be checked;
 * `current.json` names the newest, which an engine loads when it starts.
 */
export async function storeWeights(
  directory: string,
  parameters: Parameters,
  version: number,
): Promise<{ path: string; bytes: number }> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, `v${version}.safetensors`);
  const bytes = encodeSafetensors(parameters, { policyVersion: String(version) });
  await writeFileAtomic(path, bytes);
  await writeFileAtomic(join(directory, "current.json"), JSON.stringify({ version, path }));
  return { path, bytes: bytes.byteLength };
}
