import { readPath } from "@liverl/contract/spec/read-path";
import type { LaunchField, LaunchSection, ReadValue } from "#launch/fields/launch-field.ts";
import type { Provenance } from "#launch/prepare-provenance.ts";

export interface PreparedSection {
  shown: LaunchField[];
  /** Without effect on this run, or rarely changed. */
  more: LaunchField[];
  isMoreOpen: boolean;
}

/** A draft as far as its sections are asked what they show. */
export interface SectionView {
  read: ReadValue;
  /** Whether something is to be seen at a field: a fault, or a value that was changed. */
  isMarked: (field: LaunchField) => boolean;
}

export function viewOfDraft(
  spec: unknown,
  faults: ReadonlyMap<string, unknown>,
  sources: ReadonlyMap<string, Provenance>,
): SectionView {
  return {
    read: (path) => readPath(spec, path),
    isMarked: ({ path }) => faults.has(path) || sources.get(path)?.source === "override",
  };
}

/** Whether a draft has any use for a section. */
export function isSectionShown(section: LaunchSection, view: SectionView): boolean {
  const { shown, more } = prepareSection(section, view);
  return shown.length + more.length > 0;
}

/** Parts a section's fields into what matters to the draft and what does not. */
export function prepareSection(
  section: LaunchSection,
  { read, isMarked }: SectionView,
): PreparedSection {
  const isShown = (field: LaunchField) => !field.rare && (field.matters?.(read) ?? true);
  const more = section.fields.filter((field) => !isShown(field));
  const isMoreOpen = more.some(isMarked);
  // What stands wrong or was changed is shown, wherever it is.
  if (section.matters?.(read) === false && !isMoreOpen)
    return { shown: [], more: [], isMoreOpen: false };
  return { shown: section.fields.filter(isShown), more, isMoreOpen };
}
