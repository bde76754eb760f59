import { request } from "undici";

const TIMEOUT_MS = 3_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** What a metrics page says. Rejects where it does not answer in 3 s, says more than 8 MiB, or anything but 200. */
export async function getText(url: string, token: string | null): Promise<string> {
  const response = await request(url, {
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response.body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new Error(`${url} answers with more than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
  return Buffer.concat(parts).toString("utf8");
}
