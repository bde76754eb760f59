import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { asyncBufferFromFile, parquetMetadataAsync } from "hyparquet";
import { z } from "zod";
import { expandHome } from "#launch/verl-evidence/expand-home.ts";
import type { DataEvidence } from "#launch/verl-evidence/verl-evidence.ts";

/** Rows of a JSON file are counted up to this; its first says the columns. */
const MOST_LINES = 200_000;
const Row = z.record(z.string(), z.unknown());

/**
 * Columns and rows of a data file as verl reads them: parquet by its footer alone, `.json` and `.jsonl` line by line
 * (datasets' loader takes both for JSON lines).
 */
export async function readDataset(path: string, isRemote: boolean): Promise<DataEvidence> {
  const file = expandHome(path);
  try {
    await stat(file);
  } catch {
    return isRemote
      ? { state: "elsewhere", path }
      : { state: "unreadable", path, message: "there is no such file" };
  }
  try {
    return /\.jsonl?$/.test(file) ? await readLines(path, file) : await readFooter(path, file);
  } catch (error) {
    const message = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return { state: "unreadable", path, message: message ?? "it can not be read" };
  }
}

async function readFooter(path: string, file: string): Promise<DataEvidence> {
  const { num_rows, schema } = await parquetMetadataAsync(await asyncBufferFromFile(file));
  // The schema is a tree in depth-first order; its first element is the root.
  const top: { name: string; children: string[] }[] = [];
  let at = 1;
  const skip = (): string => {
    const element = schema[at];
    at += 1;
    for (let child = 0; child < (element?.num_children ?? 0); child += 1) skip();
    return element?.name ?? "";
  };
  while (at < schema.length) {
    const element = schema[at];
    at += 1;
    const children = Array.from({ length: element?.num_children ?? 0 }, skip);
    top.push({ name: element?.name ?? "", children });
  }
  return {
    state: "read",
    path,
    rows: Number(num_rows),
    columns: top.map((column) => column.name),
    extraInfo: top.find((column) => column.name === "extra_info")?.children ?? [],
  };
}

async function readLines(path: string, file: string): Promise<DataEvidence> {
  const lines = createInterface({ input: createReadStream(file, "utf8") });
  let first: z.infer<typeof Row> | null = null;
  let rows = 0;
  for await (const line of lines) {
    if (line.trim() === "") continue;
    if (first === null) {
      const parsed = Row.safeParse(JSON.parse(line));
      if (!parsed.success) throw new Error("its first line is no object");
      first = parsed.data;
    }
    rows += 1;
    if (rows >= MOST_LINES) break;
  }
  const extra = Row.safeParse(first?.extra_info);
  return {
    state: "read",
    path,
    rows,
    columns: Object.keys(first ?? {}),
    extraInfo: extra.success ? Object.keys(extra.data) : [],
  };
}
