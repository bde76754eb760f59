import { execFileSync } from "node:child_process";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";

const BLOCK = Buffer.alloc(4096, 1);

/** A real file system of a few MB in memory. Only root may mount one. */
export class SmallDisk {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async mount(sizeMb: number): Promise<SmallDisk> {
    const directory = await makeTemporaryDirectory("disk");
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMb}m`, "tmpfs", directory]);
    return new SmallDisk(directory);
  }

  /** Writes until no block is left, or until `leaveBytes` are. */
  async fill({ leaveBytes = 0 }: { leaveBytes?: number } = {}): Promise<void> {
    const handle = await open(join(this.directory, "filler"), "a");
    let written = 0;
    try {
      for (;;) {
        await handle.write(BLOCK);
        written += BLOCK.length;
      }
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    }
    if (leaveBytes > 0) await handle.truncate(Math.max(0, written - leaveBytes));
    await handle.close();
  }

  async free(): Promise<void> {
    await rm(join(this.directory, "filler"), { force: true });
  }

  async unmount(): Promise<void> {
    execFileSync("umount", ["-l", this.directory]);
    await rm(this.directory, { recursive: true, force: true });
  }
}

export const canMount = process.getuid?.() === 0 && process.platform === "linux";
