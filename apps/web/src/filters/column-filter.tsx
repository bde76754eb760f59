"use client";
import { columnFilter, withColumnFilter } from "@liverl/contract/filter/column-filter";
import type { FilterField } from "@liverl/contract/filter/filter-fields";
import type { Filter } from "@liverl/contract/filter/filter-tree";
import { printFilter } from "@liverl/contract/filter/print-filter";
import { Button, Checkbox, Popover } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import styles from "#filters/filters.module.css";
import { type ColumnForm, formOfLeaf, leafOfForm } from "#filters/prepare-leaf.ts";
import { Icon } from "#ui/icon.tsx";

const EMPTY: ColumnForm = { from: "", to: "", ticked: [], part: "" };

/** The same filter by a column: it shows the text's condition on the field, and writes into the text. */
export function ColumnFilter({
  field,
  label,
  filter,
  onApply,
}: {
  field: FilterField;
  label: string;
  filter: Filter | null;
  onApply: (text: string) => void;
}) {
  const [isOpen, { close, toggle }] = useDisclosure(false);
  const leaf = columnFilter(filter, field.name);
  const apply = (form: ColumnForm) => {
    close();
    onApply(printFilter(withColumnFilter(filter, field.name, leafOfForm(field, form))));
  };
  return (
    <Popover opened={isOpen} onDismiss={close} position="bottom-start" trapFocus shadow="md">
      <Popover.Target>
        <button
          type="button"
          className={styles.icon}
          data-on={leaf !== null || undefined}
          aria-label={leaf ? `Filter of ${label}: ${printFilter(leaf)}` : `Filter by ${label}`}
          title={leaf ? printFilter(leaf) : `Filter by ${label}`}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          <Icon name="filter" size={11} />
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        {isOpen && (
          <Form field={field} label={label} start={formOfLeaf(leaf) ?? EMPTY} onApply={apply} />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

function Form({
  field,
  label,
  start,
  onApply,
}: {
  field: FilterField;
  label: string;
  start: ColumnForm;
  onApply: (form: ColumnForm) => void;
}) {
  const [form, setForm] = useState(start);
  return (
    <form
      className={styles.column}
      onSubmit={(event) => {
        event.preventDefault();
        onApply(form);
      }}
    >
      {field.kind === "number" ? (
        <div className={styles.pair}>
          {(["from", "to"] as const).map((side) => (
            <input
              key={side}
              type="text"
              inputMode="decimal"
              aria-label={`${label} ${side}`}
              placeholder={side}
              value={form[side]}
              onChange={(event) => setForm({ ...form, [side]: event.currentTarget.value })}
            />
          ))}
        </div>
      ) : field.choices ? (
        <div className={styles.choices}>
          {field.choices.map((choice) => (
            <Checkbox
              key={choice}
              size="xs"
              label={choice}
              checked={form.ticked.includes(choice)}
              onChange={() =>
                setForm({
                  ...form,
                  ticked: form.ticked.includes(choice)
                    ? form.ticked.filter((one) => one !== choice)
                    : [...form.ticked, choice],
                })
              }
            />
          ))}
        </div>
      ) : (
        <input
          type="text"
          aria-label={`${label} contains`}
          placeholder="contains"
          value={form.part || (form.ticked[0] ?? "")}
          onChange={(event) => setForm({ ...EMPTY, part: event.currentTarget.value })}
        />
      )}
      <div className={styles.pair}>
        <Button type="submit" size="compact-xs" variant="filled">
          Apply
        </Button>
        <Button size="compact-xs" variant="subtle" onClick={() => onApply(EMPTY)}>
          Clear
        </Button>
      </div>
    </form>
  );
}
