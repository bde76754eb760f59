import type { LaunchField, LaunchSection, ReadValue } from "#launch/fields/launch-field.ts";

export interface PreparedSection {
  shown: LaunchField[];
  /** Without effect on this run, or rarely changed. */
  more: LaunchField[];
  isMoreOpen: boolean;
}

/** Parts a section's fields into what matters to the draft and what does not. */
export function prepareSection(
  section: LaunchSection,
  { read, isMarked }: { read: ReadValue; isMarked: (field: LaunchField) => boolean },
): PreparedSection {
  const isShown = (field: LaunchField) => !field.rare && (field.matters?.(read) ?? true);
  const more = section.fields.filter((field) => !isShown(field));
  const isMoreOpen = more.some(isMarked);
  // What stands wrong or was changed is shown, wherever it is.
  if (section.matters?.(read) === false && !isMoreOpen)
    return { shown: [], more: [], isMoreOpen: false };
  return { shown: section.fields.filter(isShown), more, isMoreOpen };
}
