const masks = new Map<number, Float32Array>();

/** [length, length]: 0 on and below the diagonal, −1e9 above. */
export function causalMask(length: number): Float32Array {
  let mask = masks.get(length);
  if (!mask) {
    mask = new Float32Array(length * length);
    for (let i = 0; i < length; i++)
      for (let j = i + 1; j < length; j++) mask[i * length + j] = -1e9;
    masks.set(length, mask);
  }
  return mask;
}
