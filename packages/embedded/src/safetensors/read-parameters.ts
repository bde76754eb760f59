import { readFile } from "node:fs/promises";
import { AppError } from "@liverl/contract/app-error";
import { parameterShapes } from "@liverl/contract/embedded-policy";
import type { ModelConfig } from "#model/architecture.ts";
import type { Parameters } from "#model/parameters.ts";
import { decodeSafetensors } from "#safetensors/decode-safetensors.ts";

/** The parameters of a model from a file's tensors: exactly those of its configuration, in its order. */
export function selectParameters(tensors: Parameters, config: ModelConfig): Parameters {
  return new Map(
    parameterShapes(config).map(({ name, shape }) => {
      const tensor = tensors.get(name);
      if (!tensor || tensor.shape.join() !== shape.join()) {
        throw new AppError("BAD_REQUEST", {
          userMessage: `The weights file has no tensor ${name} of shape [${shape.join(", ")}].`,
        });
      }
      return [name, tensor];
    }),
  );
}

export async function readParameters(path: string, config: ModelConfig): Promise<Parameters> {
  return selectParameters(decodeSafetensors(await readFile(path)), config);
}
