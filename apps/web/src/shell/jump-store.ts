import { createSpotlight } from "@mantine/spotlight";

/** The state of ⌘K, and what opens and closes it. */
export const [jumpStore, jump] = createSpotlight();

/** The first row is what Enter opens. The library does so as words are typed, before rows that have to be asked for are there. */
export function selectFirst(): void {
  const list = document.getElementById(jumpStore.getState().listId);
  list?.querySelector("[data-selected]")?.removeAttribute("data-selected");
  list?.querySelector("[data-action]")?.setAttribute("data-selected", "true");
  jumpStore.updateState((state) => ({ ...state, selected: 0 }));
}
