export interface SampledToken {
  id: number;
  /** Of the distribution that was sampled from, nats. */
  logprob: number;
  /** 1 for the likeliest token. */
  rank: number;
}

export interface SamplingSettings {
  temperature: number;
  topP: number;
}

const scratch = new Float64Array(1 << 16);

/** Probabilities before normalisation into the scratch, with their sum; float64 from float32 logits. */
function weigh(logits: Float32Array, offset: number, size: number, inverseTemperature: number) {
  let top = Number.NEGATIVE_INFINITY;
  let best = 0;
  for (let i = 0; i < size; i++) {
    if (logits[offset + i] > top) {
      top = logits[offset + i];
      best = i;
    }
  }
  let sum = 0;
  for (let i = 0; i < size; i++) {
    const weight = Math.exp((logits[offset + i] - top) * inverseTemperature);
    scratch[i] = weight;
    sum += weight;
  }
  return { top, best, sum };
}

/** Log-prob and rank of a token at temperature T (1 when T is 0: the greedy choice has no distribution of its own). */
export function scoreToken(
  logits: Float32Array,
  offset: number,
  size: number,
  id: number,
  temperature: number,
): SampledToken {
  const inverse = temperature > 0 ? 1 / temperature : 1;
  const { top, sum } = weigh(logits, offset, size, inverse);
  const own = logits[offset + id];
  let rank = 1;
  for (let i = 0; i < size; i++) if (logits[offset + i] > own) rank++;
  return { id, logprob: (own - top) * inverse - Math.log(sum), rank };
}

/** Drops the tail of the distribution beyond probability mass `topP`; returns the mass that stays. */
function cutTail(size: number, sum: number, topP: number): number {
  const order = Array.from({ length: size }, (_, i) => i).sort(
    (a, b) => scratch[b] - scratch[a] || a - b,
  );
  let kept = 0;
  for (const index of order) {
    if (kept >= topP * sum) scratch[index] = 0;
    else kept += scratch[index];
  }
  return kept;
}

/**
 * Draws from softmax(logits / T); temperature 0 takes the likeliest. `uniform` in [0, 1) decides.
 * The log-prob is that of softmax(logits / T): with top_p below 1 it is of the distribution before the cut.
 */
export function sampleToken(
  logits: Float32Array,
  offset: number,
  size: number,
  { temperature, topP }: SamplingSettings,
  uniform: number,
): SampledToken {
  const inverse = temperature > 0 ? 1 / temperature : 1;
  const { top, best, sum } = weigh(logits, offset, size, inverse);
  let id = best;
  if (temperature > 0) {
    let rest = uniform * (topP < 1 ? cutTail(size, sum, topP) : sum);
    for (let i = 0; i < size; i++) {
      if (scratch[i] === 0) continue;
      id = i;
      rest -= scratch[i];
      if (rest < 0) break;
    }
  }
  const own = logits[offset + id];
  let rank = 1;
  for (let i = 0; i < size; i++) if (logits[offset + i] > own) rank++;
  return { id, logprob: (own - top) * inverse - Math.log(sum), rank };
}
