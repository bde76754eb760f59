import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** The event files that lie directly in a folder, oldest first: their names begin with when they were made. */
export async function findEventFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => isEventFile(entry.name) && !entry.isDirectory())
    .map((entry) => join(folder, entry.name))
    .sort();
}

/** The folders directly in it that have some: what TensorBoard shows as other runs. */
export async function findEventFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const inside = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) => {
        const files = await readdir(join(folder, name)).catch(() => []);
        return files.some(isEventFile) ? [name] : [];
      }),
  );
  return inside.flat();
}

const isEventFile = (name: string) => name.includes("tfevents") && !name.endsWith(".profile-empty");
