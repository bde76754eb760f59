import type { ExportedPoints } from "#metrics/export/read-exported.ts";

/**
 * RFC 4180, a line a point: `key,step,wall_time,value`. Values that are not finite are NaN, Infinity and -Infinity. A key that a
 * spreadsheet would run as a formula has an apostrophe before it, as OWASP says (https://owasp.org/www-community/attacks/CSV_Injection);
 * numbers never have. JSON and Parquet have every key as it was logged.
 */
export async function* writeCsv(pages: AsyncIterable<ExportedPoints>): AsyncGenerator<string> {
  yield "key,step,wall_time,value\r\n";
  for await (const { key, step, wallMs, value } of pages) {
    const name = textCell(key);
    const line = (at: number, i: number) =>
      `${name},${at},${new Date(wallMs[i] ?? 0).toISOString()},${value[i]}\r\n`;
    yield step.map(line).join("");
  }
}

const textCell = (text: string) => {
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
