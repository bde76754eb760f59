/** Where control's HTTP API begins. Each procedure of the router has one path below it. */
export const API_PREFIX = "/api/v1";

/** `run.events` → `/api/v1/run/events`, `launch.suggestName` → `/api/v1/launch/suggest-name`. */
export function apiPath(procedure: string): string {
  const path = procedure.replace(/\./g, "/").replace(/[A-Z]/g, (big) => `-${big.toLowerCase()}`);
  return `${API_PREFIX}/${path}`;
}

/**
 * The input of a read as a query. Text stands as it is and a list repeats its name; all else is JSON, so that `step=3` is
 * the number. What is undefined is left out.
 */
export function toQuery(input: Readonly<Record<string, unknown>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined)
        query.append(name, typeof one === "string" ? one : JSON.stringify(one));
  return query;
}
