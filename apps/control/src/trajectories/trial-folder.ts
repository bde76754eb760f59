import { open, readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";

/** What goes into a page is cut there. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 200;

/** A trial's folder. No path leads out of it, after links are followed: an agent may have left some. */
export class TrialFolder {
  readonly #root: string;

  private constructor(root: string) {
    this.#root = root;
  }

  /** Null when the folder is gone, or is not inside the data directory. */
  static async open(dataDir: string, directory: string | null): Promise<TrialFolder | null> {
    if (directory === null || isAbsolute(directory)) return null;
    const real = await realpath(dataDir);
    const root = await realpath(join(real, directory)).catch(() => null);
    return root !== null && isInside(real, root) ? new TrialFolder(root) : null;
  }

  /** Path as people may open it. */
  pathOf(name: string): string {
    return join(this.#root, name);
  }

  /** Text of a file for a page; null when it is not there, or a link leads out. */
  async read(name: string): Promise<string | null> {
    const read = await this.#readUpTo(name, MAX_TEXT_BYTES);
    return read && (read.isCut ? `${read.text}\n… cut: the whole is in ${read.path}` : read.text);
  }

  /** Text of a file; null also when it has more than `maxBytes`. */
  async readWhole(name: string, maxBytes: number): Promise<string | null> {
    const read = await this.#readUpTo(name, maxBytes);
    return read?.isCut === false ? read.text : null;
  }

  /** Text from a byte on, which ends with a whole character; null when the file is not there, or a link leads out. */
  async readPart(
    name: string,
    from: number,
    maxBytes: number,
  ): Promise<{ text: string; next: number; sizeBytes: number } | null> {
    const path = await this.#fileAt(name);
    if (path === null) return null;
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const length = Math.max(0, Math.min(size - from, maxBytes));
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
      const whole = wholeCharacters(buffer.subarray(0, bytesRead));
      // What is no text reads as three bytes for one: only those of the file count.
      return { text: whole.toString("utf8"), next: from + whole.length, sizeBytes: size };
    } finally {
      await file.close();
    }
  }

  async #fileAt(name: string): Promise<string | null> {
    const path = await realpath(join(this.#root, name)).catch(() => null);
    if (path === null || !isInside(this.#root, path)) return null;
    return (await stat(path)).isFile() ? path : null;
  }

  async #readUpTo(
    name: string,
    maxBytes: number,
  ): Promise<{ text: string; isCut: boolean; path: string } | null> {
    const path = await this.#fileAt(name);
    if (path === null) return null;
    const found = await stat(path);
    const file = await open(path);
    try {
      // An agent may have left gigabytes: no more is read than is shown.
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(found.size, maxBytes)));
      return { text: buffer.toString("utf8", 0, bytesRead), isCut: found.size > maxBytes, path };
    } finally {
      await file.close();
    }
  }

  async list(): Promise<{ path: string; sizeBytes: number }[]> {
    const entries = await readdir(this.#root, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).slice(0, MAX_FILES);
    const sized = await Promise.all(
      files.map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        return { path: relative(this.#root, path), sizeBytes: (await stat(path)).size };
      }),
    );
    return sized.sort((a, b) => a.path.localeCompare(b.path));
  }
}

/** Without a character at the end of which more bytes may come: UTF-8, RFC 3629 §3. */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes.readUInt8(bytes.length - back);
    const isLater = byte >= 0x80 && byte < 0xc0;
    if (isLater) continue;
    const length = byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    const isCut = byte < 0xf8 && length > back;
    return isCut ? bytes.subarray(0, -back) : bytes;
  }
  return bytes;
}

function isInside(parent: string, path: string): boolean {
  const way = relative(parent, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
