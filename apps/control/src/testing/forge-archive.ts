import { gzipSync } from "node:zlib";
import { pack } from "tar-stream";

type Entry = {
  name: string;
  text?: string;
  type?: "file" | "symlink" | "link" | "fifo";
  linkname?: string;
};
export const HEAD = {
  format: "liverl-archive/1",
  runId: "evil-01",
  project: "tests",
  version: "1",
};
export const ROW = {
  ...{ id: "evil-01", project: "tests", name: "evil", status: "failed", driver: "embedded" },
  ...{ color: 1, tags: [], attempt: 0, crashes: 0, created_at: "2026-01-01T00:00:00Z" },
};
export const row = (table: string, value: unknown): Entry => ({
  ...{ name: `rows/${table}/000001.jsonl`, text: `${JSON.stringify(value)}\n` },
});
/** An archive as somebody with bad intent would make it. */
export async function forge(
  entries: Entry[],
  head: unknown = HEAD,
  run: object = ROW,
): Promise<Uint8Array> {
  const tar = pack();
  const all = [{ name: "archive.json", text: JSON.stringify(head) }, row("run", run), ...entries];
  const end: Entry = { name: "end.json", text: JSON.stringify({ entries: all.length }) };
  for (const { name, text: content = "", type = "file", linkname } of [...all, end])
    tar.entry({ name, type, linkname }, content);
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) chunks.push(Buffer.from(chunk));
  return gzipSync(Buffer.concat(chunks));
}
