/** How one value of the launch spec is edited. `path` is its place in the spec, `optim.lr`. */
export interface LaunchField {
  path: string;
  label: string;
  /** `lines`: a list, one item a line. `pairs`: a map, `key=value` a line. `driver`: swaps the whole form. */
  kind: "text" | "number" | "switch" | "locked" | "select" | "lines" | "pairs" | "driver";
  unit?: string;
  /** What the value does, one sentence. */
  hint: string;
  nullable?: boolean;
  /** What an empty field stands for. */
  empty?: string;
  options?: readonly string[];
  /** What a word is that is none of the options, where the value may be one. */
  other?: string;
  /** Of little use to most runs: stands under More. */
  rare?: boolean;
  /** Whether the value has an effect with the others as they are; without one it stands under More. */
  matters?: (read: ReadValue) => boolean;
}

/** Reads another value of the draft, which may not be valid. */
export type ReadValue = (path: string) => unknown;

export interface LaunchSection {
  id: string;
  label: string;
  note?: string;
  /** Whether any of its values has an effect with the others as they are; without one the section is not shown. */
  matters?: (read: ReadValue) => boolean;
  fields: readonly LaunchField[];
}

export const DRIVER_FIELD: LaunchField = {
  path: "driver",
  label: "Driver",
  kind: "driver",
  hint: "What runs trainer and engines.",
};

type More = Omit<LaunchField, "path" | "label" | "kind" | "hint">;
const build =
  (kind: LaunchField["kind"]) =>
  (path: string, label: string, hint: string, more: More = {}): LaunchField => ({
    path,
    label,
    kind,
    hint,
    ...more,
  });

export const text = build("text");
export const number = build("number");
export const toggle = build("switch");
export const lines = build("lines");
export const pairs = build("pairs");
export const select = (
  path: string,
  label: string,
  options: readonly string[],
  hint: string,
  more: More = {},
): LaunchField => ({ path, label, kind: "select", options, hint, ...more });
