"use client";
import { useId, useState } from "react";
import styles from "#launch/launch.module.css";
import type { LaunchField } from "#launch/launch-fields.ts";
import { fieldText, parseField } from "#launch/parse-field.ts";
import type { Provenance } from "#launch/prepare-provenance.ts";
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
  onChange: (value: string | number | boolean | null, typed?: string) => void;
}) {
  const id = useId();
  const isOverride = provenance?.source === "override";
  return (
    <div className={styles.field}>
      <div className={styles.label} title={field.hint}>
        <label htmlFor={id}>{field.label}</label>
        <SourceMark field={field} provenance={provenance} disabled={disabled} onChange={onChange} />
      </div>
      {field.kind === "switch" ? (
        <div className={styles.switch}>
          <Seg
            label={field.label}
            value={value === true ? "yes" : "no"}
            options={[
              { value: "yes", label: "Yes" },
              { value: "no", label: "No" },
            ]}
            onChange={(next) => onChange(next === "yes")}
          />
        </div>
      ) : field.kind === "locked" ? (
        <output id={id} className={styles.input} data-locked>
          {fieldText(value)}
        </output>
      ) : (
        <TextField
          id={id}
          field={field}
          value={value}
          isOverride={isOverride}
          fault={fault?.level}
          disabled={disabled}
          onChange={onChange}
        />
      )}
      {fault && (
        <div id={`${id}-fault`} className={styles.fault} data-fault={fault.level}>
          {fault.message}
        </div>
      )}
    </div>
  );
}

function TextField({
  id,
  field,
  value,
  isOverride,
  fault,
  disabled,
  onChange,
}: {
  id: string;
  field: LaunchField;
  value: unknown;
  isOverride: boolean;
  fault: "fail" | "warn" | undefined;
  disabled: boolean;
  onChange: (value: string | number | null, typed?: string) => void;
}) {
  // What is being typed stands as typed ("1.", "1e-") until the field is left or the value changes from elsewhere.
  const [typing, setTyping] = useState<string | null>(null);
  const shown =
    typing !== null && Object.is(parseField(field, typing), value) ? typing : fieldText(value);
  return (
    <div className={styles.input} data-override={isOverride || undefined} data-fault={fault}>
      <input
        id={id}
        value={shown}
        disabled={disabled}
        inputMode={field.kind === "number" ? "decimal" : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={field.nullable ? "never" : undefined}
        aria-invalid={fault === "fail"}
        aria-describedby={fault ? `${id}-fault` : undefined}
        onChange={(event) => {
          const text = event.currentTarget.value;
          setTyping(text);
          onChange(parseField(field, text), text);
        }}
        onBlur={() => setTyping(null)}
      />
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
  onChange: (value: string | number | boolean | null) => void;
}) {
  if (!provenance) return null;
  const { source, was } = provenance;
  const isUndoable =
    was === null || typeof was === "string" || typeof was === "number" || typeof was === "boolean";
  if (source !== "override" || !isUndoable || field.path === "name" || disabled) {
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
      title={`Back to ${fieldText(was) || "none"}`}
      onClick={() => onChange(was)}
    >
      override
    </button>
  );
}
