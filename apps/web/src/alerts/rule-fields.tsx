"use client";
import { RunStatus, VerdictWord } from "@liverl/contract/run";
import { VERDICT_SIGNS, VerdictSign } from "@liverl/contract/verdict-sign";
import { Autocomplete, MultiSelect, NumberInput, Select } from "@mantine/core";
import styles from "#alerts/alerts.module.css";
import type { RuleDraft } from "#alerts/rule-draft.ts";

interface Fields {
  draft: RuleDraft;
  faults: Partial<Record<keyof RuleDraft, string>>;
  set: (change: Partial<RuleDraft>) => void;
  /** Keys that the newest run logs. */
  metrics: readonly string[];
}

const SIGNS = VerdictSign.options.map((value) => ({ value, label: VERDICT_SIGNS[value] }));

/** The fields of the chosen kind of condition. */
export function RuleFields(fields: Fields) {
  const { draft, faults, set } = fields;
  switch (draft.kind) {
    case "sign":
      return (
        <Many
          label="Any of these signs"
          data={SIGNS}
          value={draft.signs}
          fault={faults.signs}
          onChange={(signs) => set({ signs })}
        />
      );
    case "word":
      return (
        <Many
          label="The verdict is one of"
          data={VerdictWord.options}
          value={draft.words}
          fault={faults.words}
          onChange={(words) => set({ words })}
        />
      );
    case "status":
      return (
        <Many
          label="The run is one of"
          data={RunStatus.options.filter((status) => status !== "draft")}
          value={draft.statuses}
          fault={faults.statuses}
          onChange={(statuses) => set({ statuses })}
        />
      );
    default:
      return (
        <>
          <Autocomplete
            label="Metric"
            size="xs"
            data={fields.metrics.slice()}
            limit={40}
            placeholder="actor/entropy"
            value={draft.metric}
            error={faults.metric}
            onChange={(metric) => set({ metric })}
          />
          <div className={styles.fields}>
            <MetricFields {...fields} />
          </div>
        </>
      );
  }
}

function MetricFields({ draft, faults, set }: Fields) {
  if (draft.kind === "threshold")
    return (
      <>
        <Select
          label="Is"
          data={["above", "below"]}
          value={draft.side}
          allowDeselect={false}
          onChange={(side) => set({ side: side === "below" ? "below" : "above" })}
        />
        <Amount label="This value" of="value" {...{ draft, faults, set }} />
        <Amount label="For steps" of="steps" {...{ draft, faults, set }} />
      </>
    );
  if (draft.kind === "change")
    return (
      <>
        <Select
          label="It"
          data={[
            { value: "falls", label: "falls" },
            { value: "rises", label: "rises" },
            { value: "moves", label: "does either" },
          ]}
          value={draft.direction}
          allowDeselect={false}
          onChange={(to) => set({ direction: to === "rises" || to === "moves" ? to : "falls" })}
        />
        <Amount label="By percent" of="percent" {...{ draft, faults, set }} />
        <Amount label="Over steps" of="steps" {...{ draft, faults, set }} />
      </>
    );
  return (
    <>
      <Amount label="Deviations" of="z" {...{ draft, faults, set }} />
      <Amount label="Against steps" of="window" {...{ draft, faults, set }} />
    </>
  );
}

function Amount({
  label,
  of,
  draft,
  faults,
  set,
}: Omit<Fields, "metrics"> & {
  label: string;
  of: "value" | "percent" | "steps" | "z" | "window";
}) {
  return (
    <NumberInput
      label={label}
      value={draft[of]}
      error={faults[of]}
      onChange={(value) => set({ [of]: value })}
    />
  );
}

function Many({
  label,
  data,
  value,
  fault,
  onChange,
}: {
  label: string;
  data: readonly (string | { value: string; label: string })[];
  value: string[];
  fault: string | undefined;
  onChange: (value: string[]) => void;
}) {
  return (
    <MultiSelect
      label={label}
      size="xs"
      data={data.slice()}
      value={value}
      error={fault}
      searchable
      hidePickedOptions
      onChange={onChange}
    />
  );
}
