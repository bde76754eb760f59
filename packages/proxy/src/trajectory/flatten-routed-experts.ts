import type { GivenNode, RoutedExperts, SampledNode } from "@liverl/contract/trajectory";

/**
 * One run of rows over a path of nodes: a row for each token but the last. Null where a row is missing; undefined where no
 * node was asked for any.
 */
export function flattenRoutedExperts(
  path: readonly (GivenNode | SampledNode)[],
): RoutedExperts | null | undefined {
  const parts: Buffer[] = [];
  let shape: RoutedExperts | null | undefined;
  let length = 0;
  let rows = 0;
  for (const node of path) {
    const routed = node.kind === "sampled" ? node.routedExperts : undefined;
    if (routed !== undefined) shape ??= routed;
    // A turn that came after a gap was given all rows again.
    if (routed && length + routed.startToken === 0) {
      parts.length = 0;
      rows = 0;
    }
    if (routed && length + routed.startToken === rows && isAlike(routed, shape)) {
      parts.push(Buffer.from(routed.data, "base64"));
      rows += routed.rows;
    }
    length += node.tokenIds.length;
  }
  if (shape === undefined) return undefined;
  if (shape === null || rows !== length - 1) return null;
  const data = Buffer.concat(parts).toString("base64");
  return { startToken: 0, rows, shape: shape.shape, dtype: shape.dtype, data };
}

const isAlike = (a: RoutedExperts, b: RoutedExperts | null | undefined) =>
  a.dtype === b?.dtype && a.shape.join() === b.shape.join();
