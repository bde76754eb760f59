import type { RoutedExperts } from "@liverl/contract/trajectory";
import { decodeNpy, type NpyArray } from "#backends/npy.ts";

/** The expert routing of one engine request, as it came. */
export interface RequestRouting {
  /** Base64 of a `.npy` `[rows, layers, experts]`; null where the engine told none. */
  npy: string | null;
  /** The position that rows were asked from. */
  from: number;
  promptLength: number;
  /** Tokens that the engine sampled, and those of them that are kept: a stop string may have cut the turn. */
  sampled: number;
  kept: number;
}

/**
 * One run of rows over all requests of a turn. An engine gives a row for each token that it has read, which the last
 * sampled one is not: N tokens have N-1 rows. A resumed request reads that token, so its rows go on where the ones before
 * end. Null where a request lacks rows or they do not fit together: half a routing is none.
 */
export function joinRouting(requests: readonly RequestRouting[]): RoutedExperts | null {
  const [first] = requests;
  if (!first) return null;
  const parts: NpyArray[] = [];
  let at = first.from;
  for (const request of requests) {
    const rows = rowsOf(request, at);
    if (!rows || (parts[0] && !isAlike(rows, parts[0]))) return null;
    parts.push(rows);
    at += rows.shape[0] ?? 0;
  }
  const [head] = parts;
  if (!head) return null;
  return {
    startToken: first.from - first.promptLength,
    rows: at - first.from,
    shape: head.shape.slice(1),
    dtype: head.dtype,
    data: Buffer.concat(parts.map((part) => part.data)).toString("base64"),
  };
}

/** Rows of a request from position `at` on, without those of tokens that were left. */
function rowsOf(request: RequestRouting, at: number): NpyArray | null {
  const array = readNpy(request.npy);
  if (!array) return null;
  const [count = 0, ...shape] = array.shape;
  const all = request.promptLength + request.sampled - 1;
  // An engine that does not know of a start gives all of them.
  const first = [request.from, 0].find((start) => count === all - start);
  const wanted = request.promptLength + request.kept - 1 - at;
  if (first === undefined || first > at || wanted < 0) return null;
  const rowBytes = count === 0 ? 0 : array.data.length / count;
  const begin = at - first;
  return {
    ...array,
    shape: [wanted, ...shape],
    data: array.data.subarray(begin * rowBytes, (begin + wanted) * rowBytes),
  };
}

function readNpy(base64: string | null): NpyArray | null {
  if (base64 === null) return null;
  try {
    return decodeNpy(Buffer.from(base64, "base64"));
  } catch {
    // The turn is good without it.
    return null;
  }
}

const isAlike = (a: NpyArray, b: NpyArray) =>
  a.dtype === b.dtype && a.shape.slice(1).join() === b.shape.slice(1).join();
