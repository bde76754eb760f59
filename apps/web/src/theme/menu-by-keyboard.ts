import type { KeyboardEvent } from "react";

/** Names the item that gets the focus when a menu opens: Mantine would try the first one, and fail where that is disabled. */
export function nameFirstItem(menu: HTMLElement | null): void {
  const item = menu?.querySelector("[data-menu-item]:not([data-disabled])");
  item?.setAttribute("data-autofocus", "true");
}

/**
 * Tab leaves a menu, which closes, for what stands after its button, ⇧Tab for what stands before it; Mantine would hold the focus as a
 * dialog does. Source: the menu pattern of WAI-ARIA's authoring practices.
 */
export function leaveByTab(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "Tab") return;
  const opener = document.getElementById(event.currentTarget.getAttribute("aria-labelledby") ?? "");
  // The browser moves on from where the focus is once its listeners are through.
  opener?.focus({ preventScroll: true });
  opener?.click();
}
