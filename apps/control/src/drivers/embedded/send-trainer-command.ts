import { randomUUID } from "node:crypto";
import { mkdir, open } from "node:fs/promises";
import type { TrainerCommand } from "@liverl/contract/trainer";
import { runFiles } from "#drivers/embedded/run-files.ts";

/** Appends an order to the run's command file; durable when it returns. The trainer reads it between steps. */
export async function sendTrainerCommand(
  dataDir: string,
  runId: string,
  command: TrainerCommand["command"],
): Promise<void> {
  const files = runFiles(dataDir, runId);
  await mkdir(files.directory, { recursive: true });
  const order: TrainerCommand = { id: randomUUID(), at: new Date().toISOString(), command };
  const handle = await open(files.commands, "a");
  try {
    await handle.write(`${JSON.stringify(order)}\n`);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
