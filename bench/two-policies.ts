import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ModelConfig } from "@liverl/embedded/model/architecture";
import { initialParameters } from "@liverl/embedded/model/parameters";
import { modelFiles, writeModelFolder } from "@liverl/embedded/model/write-model-folder";
import { encodeSafetensors } from "@liverl/embedded/safetensors/encode-safetensors";

// `--out RUN`: the embedded model's folder and the weights of two random policies, far enough apart that a token's
// log-prob under one is not that under the other.
const SHARPER = 12;

const { values } = parseArgs({ options: { out: { type: "string" } } });
if (!values.out) throw new Error("usage: two-policies --out RUN");
await writeModelFolder(join(values.out, "model"));
await mkdir(join(values.out, "weights"), { recursive: true });
const config = ModelConfig.parse(JSON.parse(modelFiles()["config.json"] ?? ""));
for (const [name, seed] of [
  ["even", 1],
  ["odd", 2],
] as const) {
  const parameters = initialParameters(config, seed);
  const head = parameters.get("lm_head");
  for (const [i, value] of (head?.values ?? []).entries()) head?.values.set([value * SHARPER], i);
  await writeFile(
    join(values.out, "weights", `${name}.safetensors`),
    encodeSafetensors(parameters),
  );
}
