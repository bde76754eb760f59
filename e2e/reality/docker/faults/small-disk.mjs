// A file system of a fixed size, in memory, that can be filled to its last byte and freed again.
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { demand } from "../rollouts.mjs";

const CHUNK = 1024 * 1024;
const SMALLEST = 512;
const AGAIN_MS = 100;

export class SmallDisk {
  #filling = null;

  constructor(folder, sizeMb) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    const { status, stderr } = spawnSync(
      "mount",
      ["-t", "tmpfs", "-o", `size=${sizeMb}m`, "tmpfs", folder],
      { encoding: "utf8" },
    );
    demand(status === 0, `faults of a full disk need the right to mount: ${stderr}`);
    // Before whatever removes the folder that it is in.
    process.prependOnceListener("exit", () => spawnSync("umount", ["-l", folder]));
  }

  /** Also of what others give back meanwhile. */
  keepFull() {
    this.fill();
    this.#filling = setInterval(() => this.fill(), AGAIN_MS);
  }

  fill() {
    const file = openSync(join(this.folder, "filler"), "a");
    try {
      for (let bytes = Buffer.alloc(CHUNK); bytes.length >= SMALLEST; ) {
        try {
          writeSync(file, bytes);
        } catch (error) {
          if (error.code !== "ENOSPC") throw error;
          bytes = bytes.subarray(0, bytes.length / 2);
        }
      }
    } finally {
      closeSync(file);
    }
  }

  free() {
    clearInterval(this.#filling);
    rmSync(join(this.folder, "filler"), { force: true });
  }
}
