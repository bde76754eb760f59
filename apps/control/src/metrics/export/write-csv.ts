import type { ExportedPoints } from "#metrics/export/read-exported.ts";

/** RFC 4180, a line a point: `key,step,wall_time,value`. Values that are not finite are NaN, Infinity and -Infinity. */
export async function* writeCsv(pages: AsyncIterable<ExportedPoints>): AsyncGenerator<string> {
  yield "key,step,wall_time,value\r\n";
  for await (const { key, step, wallMs, value } of pages) {
    const name = /[",\r\n]/.test(key) ? `"${key.replaceAll('"', '""')}"` : key;
    const line = (at: number, i: number) =>
      `${name},${at},${new Date(wallMs[i] ?? 0).toISOString()},${value[i]}\r\n`;
    yield step.map(line).join("");
  }
}
