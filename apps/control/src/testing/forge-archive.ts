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
const AT = "2026-01-01T00:00:00Z";
/** A rollout of that run which fits. */
export const ROLLOUT = {
  ...{ rollout_id: "evil-01.s1.g0.r0", session_id: "evil-01.s1.g0.r0-a1", run_id: "evil-01" },
  ...{ group_id: "evil-01.s1.g0", index: 0, task_id: "t", task_name: "n", mode: "train", step: 1 },
  ...{ attempt: 0, status: "succeeded", turns: 1, tokens_sampled: 1, tokens_total: 2 },
  ...{ truncated: false, queued_at: AT, cursor: 0 },
};
export const row = (table: string, ...values: unknown[]): Entry => ({
  name: `rows/${table}/000001.jsonl`,
  text: values.map((value) => `${JSON.stringify(value)}\n`).join(""),
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
