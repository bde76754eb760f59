import type { ConfigValue, RunConfig } from "@liverl/contract/run-config";

export interface ConfigRow extends ConfigValue {
  text: string;
  otherText: string;
  wasText: string | null;
}
export interface PreparedConfig {
  rows: ConfigRow[];
  total: number;
  /** Values that are not the same in the other one; without one, those that the launch itself said. */
  changed: number;
}

/** The values whose path or text holds `search`; of them those that changed, where that is asked for. */
export function prepareConfig(
  { values, vs }: RunConfig,
  { search, onlyChanged }: { search: string; onlyChanged: boolean },
): PreparedConfig {
  const isChanged = (value: ConfigValue) =>
    vs === null ? value.source === "override" : value.differs;
  const wanted = search.trim().toLowerCase();
  const rows = values
    .filter((value) => !onlyChanged || isChanged(value))
    .map(
      (value): ConfigRow => ({
        ...value,
        text: inWords(value.value),
        otherText: inWords(value.other),
        wasText: value.source === "override" && "was" in value ? inWords(value.was) : null,
      }),
    )
    .filter(({ path, text, otherText }) =>
      [path, text, otherText].some((part) => part.toLowerCase().includes(wanted)),
    );
  return { rows, total: values.length, changed: values.filter(isChanged).length };
}

/** `—`: not set. */
function inWords(value: unknown): string {
  if (value === undefined) return "—";
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}
