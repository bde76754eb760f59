import { ForkWay } from "@liverl/contract/run";

/** What a draft began as, in the words of the launch page's URL. */
interface Beginning {
  preset: string | null;
  from: string | null;
  step: number | null;
  how: ForkWay | null;
}

const placeOf = (project: string) => `liverl.launch.${project}.last`;

/** Where the draft that was worked on last began, so that the page without a choice opens it again; null without one. */
export function readLastDraft(project: string): Beginning | null {
  const stored = new URLSearchParams(localStorage.getItem(placeOf(project)) ?? "");
  const [preset, from] = [stored.get("preset"), stored.get("from")];
  if (preset === null && from === null) return null;
  const step = Number(stored.get("step") ?? Number.NaN);
  return {
    preset,
    from,
    step: Number.isInteger(step) ? step : null,
    how: ForkWay.safeParse(stored.get("how")).data ?? null,
  };
}

/** `search`: the query of the URL at which the draft is worked on. */
export function rememberDraft(project: string, search: string): void {
  localStorage.setItem(placeOf(project), search);
}

export function forgetDraft(project: string): void {
  localStorage.removeItem(placeOf(project));
}
