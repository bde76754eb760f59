import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Files of a verl checkpoint, `global_step_N`, by name and size alone: what LiveRL looks at without reading a tensor. */
export async function writeVerlCheckpoint(
  checkpoints: string,
  step: number,
  { world = 2, ranks = [0, 1] }: { world?: number; ranks?: readonly number[] } = {},
): Promise<string> {
  const path = join(checkpoints, `global_step_${step}`);
  const kinds = ["model", "optim", "extra_state"];
  const files: Record<string, string> = {
    "data.pt": "x",
    "actor/fsdp_config.json": JSON.stringify({ FSDP_version: 2, world_size: world }),
    "actor/huggingface/config.json": JSON.stringify({ architectures: ["Qwen2ForCausalLM"] }),
    ...Object.fromEntries(
      ranks.flatMap((rank) =>
        kinds.map((kind) => [`actor/${kind}_world_size_${world}_rank_${rank}.pt`, "12345"]),
      ),
    ),
  };
  await writeFiles(path, files);
  return path;
}

/** A whole model in Hugging Face form with one tensor of one float. */
export async function writeHfModel(folder: string): Promise<void> {
  await writeFiles(folder, {
    "config.json": JSON.stringify({ architectures: ["Qwen2ForCausalLM"] }),
    "tokenizer.json": "{}",
    "model.safetensors": safetensors({ weight: 1 }),
  });
}

/** A safetensors file: name → count of float32 zeros. */
export function safetensors(tensors: Record<string, number>): Buffer {
  let end = 0;
  const entries = Object.entries(tensors).map(([name, count]) => {
    const start = end;
    end += 4 * count;
    return [name, { dtype: "F32", shape: [count], data_offsets: [start, end] }] as const;
  });
  const header = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, Buffer.alloc(end)]);
}

async function writeFiles(folder: string, files: Record<string, string | Buffer>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}
