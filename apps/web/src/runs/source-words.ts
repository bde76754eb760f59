import type { RunSource } from "@liverl/contract/run";

/** How a source is called: in a tag, and in a sentence that begins "Its metrics come". */
export const SOURCE_WORDS: Record<RunSource, { short: string; from: string }> = {
  file: { short: "verl file", from: "from a file that its trainer writes" },
  tensorboard: { short: "TensorBoard", from: "from TensorBoard’s event files" },
  mlflow: { short: "MLflow", from: "from its MLflow client" },
  wandb: { short: "W&B", from: "from its W&B client" },
  api: { short: "API", from: "through the metrics API" },
};
