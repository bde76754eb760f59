const STRIDE = 4096;

/** How many bytes both begin with. Strides are compared by memcmp: 300 kB take some microseconds. */
export function commonPrefix(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  return longest(most, (from, to) => a.compare(b, from, to, from, to) === 0);
}

/** How many bytes both end with, at most `most`. */
export function commonSuffix(a: Buffer, b: Buffer, most: number): number {
  return longest(
    most,
    (from, to) =>
      a.compare(b, b.length - to, b.length - from, a.length - to, a.length - from) === 0,
  );
}

/** The greatest n for which all of `[0, n)` is the same: strides that double, then halves of the one that differs. */
function longest(most: number, same: (from: number, to: number) => boolean): number {
  let low = 0;
  for (let step = STRIDE; low < most; step *= 2) {
    const end = Math.min(low + step, most);
    if (!same(low, end)) return within(low, end, same);
    low = end;
  }
  return most;
}

function within(from: number, to: number, same: (from: number, to: number) => boolean): number {
  let low = from;
  let high = to;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (same(low, middle)) low = middle;
    else high = middle;
  }
  return low;
}
