// The smallest body that still fails, as far as so many tries find it.
const TRIES = 400;

function* pathsOf(value, path = []) {
  if (path.length > 0) yield path;
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) yield* pathsOf(value[key], [...path, key]);
}

function without(value, path) {
  const copy = structuredClone(value);
  const holder = path.slice(0, -1).reduce((inner, key) => inner[key], copy);
  const last = path.at(-1);
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete holder[last];
  return copy;
}

function* smallerValues(value) {
  for (const path of pathsOf(value)) yield without(value, path);
}

function* smallerBytes(body) {
  for (let size = body.length >> 1; size > 0; size >>= 1)
    for (let at = 0; at < body.length; at += size)
      yield Buffer.concat([body.subarray(0, at), body.subarray(at + size)]);
}

function parsed(body) {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
}

/** `fails(body)` says whether a body still does. */
export async function minimise(body, fails) {
  let best = body;
  let tries = 0;
  for (let found = true; found && tries < TRIES; ) {
    found = false;
    const value = parsed(best);
    const smaller = value
      ? [...smallerValues(value)].map((one) => Buffer.from(JSON.stringify(one)))
      : smallerBytes(best);
    for (const candidate of smaller) {
      if (++tries > TRIES) break;
      if (candidate.length >= best.length || !(await fails(candidate))) continue;
      best = candidate;
      found = true;
      break;
    }
  }
  return best;
}
