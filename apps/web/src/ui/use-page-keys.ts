"use client";
import { type HotkeyItem, useHotkeys } from "@mantine/hooks";

/** What lies over a page and has keys of its own. */
export const OVER_PAGE = "[role=dialog], [role=menu], [role=listbox]";

/** Keys of a page. They rest while the focus is in a dialog, menu or list over it. */
export function usePageKeys(
  keys: readonly HotkeyItem[],
  ...where: [tagsToIgnore?: string[], inEditable?: boolean]
): void {
  useHotkeys(
    keys.map(
      ([key, act, { preventDefault = true, ...options } = {}]): HotkeyItem => [
        key,
        (event) => {
          if (event.target instanceof Element && event.target.closest(OVER_PAGE) !== null) return;
          if (preventDefault) event.preventDefault();
          act(event);
        },
        { ...options, preventDefault: false },
      ],
    ),
    ...where,
  );
}
