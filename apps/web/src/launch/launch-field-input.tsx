"use client";
import { useId, useState } from "react";
import type { LaunchField } from "#launch/fields/launch-field.ts";
import { DRIVERS } from "#launch/fields/launch-sections.ts";
import styles from "#launch/launch.module.css";
import { fieldText, parseField } from "#launch/parse-field.ts";
import type { Provenance } from "#launch/prepare-provenance.ts";
import type { SpecValue } from "#launch/spec-value.ts";
import { Icon } from "#ui/icon.tsx";
import { Seg } from "#ui/seg.tsx";

/** One value with its label, where it comes from, and what is wrong with it. */
export function LaunchFieldInput({
  field,
  value,
  provenance,
  fault,
  disabled,
  onChange,
}: {
  field: LaunchField;
  value: unknown;
  provenance: Provenance | undefined;
  fault: { level: "fail" | "warn"; message: string } | undefined;
  disabled: boolean;
  onChange: (value: SpecValue, typed?: string) => void;
}) {
  const id = useId();
  return (
    <div className={styles.field} data-kind={field.kind}>
      <div className={styles.label} title={field.hint}>
        <label htmlFor={id}>{field.label}</label>
        <SourceMark field={field} provenance={provenance} disabled={disabled} onChange={onChange} />
      </div>
      <Control
        id={id}
        field={field}
        value={value}
        isOverride={provenance?.source === "override"}
        fault={fault?.level}
        disabled={disabled}
        onChange={onChange}
      />
      {fault && (
        <div id={`${id}-fault`} className={styles.fault} data-fault={fault.level}>
          {fault.message}
        </div>
      )}
    </div>
  );
}

interface ControlProps {
  id: string;
  field: LaunchField;
  value: unknown;
  isOverride: boolean;
  fault: "fail" | "warn" | undefined;
  disabled: boolean;
  onChange: (value: SpecValue, typed?: string) => void;
}

function Control(props: ControlProps) {
  const { id, field, value, onChange } = props;
  switch (field.kind) {
    case "driver":
      return (
        <Choice label={field.label} value={String(value)} options={DRIVERS} onChange={onChange} />
      );
    case "switch":
      return (
        <Choice
          label={field.label}
          value={value === true ? "yes" : "no"}
          options={[
            { value: "yes", label: "Yes" },
            { value: "no", label: "No" },
          ]}
          onChange={(next) => onChange(next === "yes")}
        />
      );
    case "locked":
      return (
        <output id={id} className={styles.input} data-locked>
          {fieldText(value)}
        </output>
      );
    case "select":
      return <SelectField {...props} />;
    case "text":
    case "number":
    case "lines":
    case "pairs":
      return <TextField {...props} />;
  }
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
}) {
  return (
    <div className={styles.switch}>
      <Seg label={label} value={value} options={options} onChange={onChange} />
    </div>
  );
}

/** Of the list, not of a value. */
const OTHER = "\0";

/**
 * One of the field's words. A word that is none of them stands in the list too, so that it is seen and can be left; or
 * beside it, where others may be typed.
 */
function SelectField(props: ControlProps) {
  const { id, field, value, isOverride, fault, disabled, onChange } = props;
  const [isAsked, setAsked] = useState(false);
  const options = field.options ?? [];
  const shown = fieldText(value);
  const isKnown = options.includes(shown) || (field.nullable && value === null);
  const isOther = field.other !== undefined && (isAsked || !isKnown);
  const list = (
    <div
      className={styles.input}
      data-select
      data-override={isOverride || undefined}
      data-fault={fault}
    >
      <select
        id={id}
        value={isOther ? OTHER : shown}
        disabled={disabled}
        aria-invalid={fault === "fail"}
        aria-describedby={fault ? `${id}-fault` : undefined}
        onChange={(event) => {
          const next = event.currentTarget.value;
          setAsked(next === OTHER);
          if (next !== OTHER) onChange(next === "" && field.nullable ? null : next);
        }}
      >
        {field.nullable && <option value="">{field.empty ?? "none"}</option>}
        {!isKnown && !isOther && <option value={shown}>{shown || "not set"}</option>}
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
        {field.other && <option value={OTHER}>{field.other}</option>}
      </select>
      <Icon name="chevd" size={12} />
    </div>
  );
  if (!isOther) return list;
  return (
    <>
      {list}
      <TextField {...props} id={`${id}-other`} />
    </>
  );
}

function TextField({ id, field, value, isOverride, fault, disabled, onChange }: ControlProps) {
  // What is being typed stands as typed ("1.", "1e-", an empty line) until the field is left or the value changes from elsewhere.
  const [typing, setTyping] = useState<string | null>(null);
  const isTyped =
    typing !== null && JSON.stringify(parseField(field, typing)) === JSON.stringify(value);
  const shown = isTyped ? typing : fieldText(value, field);
  const isLong = field.kind === "lines" || field.kind === "pairs";
  const shared = {
    id,
    value: shown,
    disabled,
    autoComplete: "off",
    spellCheck: false,
    placeholder: field.empty ?? (field.nullable ? "never" : undefined),
    "aria-invalid": fault === "fail",
    "aria-describedby": fault ? `${id}-fault` : undefined,
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      const text = event.currentTarget.value;
      setTyping(text);
      onChange(parseField(field, text), text);
    },
    onBlur: () => setTyping(null),
  };
  return (
    <div
      className={styles.input}
      data-long={isLong || undefined}
      data-override={isOverride || undefined}
      data-fault={fault}
    >
      {isLong ? (
        <textarea {...shared} rows={Math.max(2, Math.min(12, shown.split("\n").length + 1))} />
      ) : (
        <input
          {...shared}
          inputMode={field.kind === "number" ? "decimal" : undefined}
          aria-label={field.other}
        />
      )}
      {field.unit && <span className={styles.unit}>{field.unit}</span>}
    </div>
  );
}

/** Where the value comes from; an override is a button that takes it back. */
function SourceMark({
  field,
  provenance,
  disabled,
  onChange,
}: {
  field: LaunchField;
  provenance: Provenance | undefined;
  disabled: boolean;
  onChange: (value: SpecValue) => void;
}) {
  if (!provenance) return null;
  const { source, was } = provenance;
  const isFixed = field.path === "name" || field.kind === "driver";
  if (source !== "override" || was === undefined || isFixed || disabled) {
    return (
      <span className={styles.source} data-source={source}>
        {source}
      </span>
    );
  }
  return (
    <button
      type="button"
      className={styles.source}
      title={`Back to ${fieldText(was, field) || "none"}`}
      onClick={() => onChange(was as SpecValue)}
    >
      override
    </button>
  );
}
