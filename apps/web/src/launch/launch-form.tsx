"use client";
import { readPath } from "@liverl/contract/spec/read-path";
import type { LaunchField, LaunchSection } from "#launch/fields/launch-field.ts";
import { sectionsOf } from "#launch/fields/launch-sections.ts";
import styles from "#launch/launch.module.css";
import { LaunchFieldInput } from "#launch/launch-field-input.tsx";
import type { Provenance } from "#launch/prepare-provenance.ts";
import { prepareSection, viewOfDraft } from "#launch/prepare-section.ts";
import type { Launch } from "#launch/use-launch.ts";

export const sectionDomId = (id: string) => `launch-${id}`;

type Faults = ReadonlyMap<string, { level: "fail" | "warn"; message: string }>;
interface FormProps {
  launch: Launch;
  sources: ReadonlyMap<string, Provenance>;
  faults: Faults;
}

/** The draft as fields. While its YAML does not parse, the fields are locked and say so. */
export function LaunchForm({ launch, sources, faults }: FormProps) {
  const { parsed } = launch;
  return (
    <form
      className={styles.form}
      aria-label="Launch form"
      onSubmit={(event) => event.preventDefault()}
    >
      {parsed.fault && (
        <p className="note bad" role="status" style={{ marginTop: 10 }}>
          Line {parsed.fault.line} of the YAML does not parse: {parsed.fault.message} Mend it there;
          the form follows.
        </p>
      )}
      {sectionsOf(launch.driver).map((section) => (
        <Section
          key={section.id}
          section={section}
          launch={launch}
          sources={sources}
          faults={faults}
        />
      ))}
    </form>
  );
}

/** What matters to this run stands open; the rest is one click away, and open by itself where something is to be seen. */
function Section({ section, launch, sources, faults }: FormProps & { section: LaunchSection }) {
  const { spec } = launch.parsed;
  const { shown, more, isMoreOpen } = prepareSection(section, viewOfDraft(spec, faults, sources));
  const input = (field: LaunchField) => (
    <LaunchFieldInput
      key={field.path}
      field={field}
      value={readPath(spec, field.path)}
      provenance={launch.parsed.fault ? undefined : sources.get(field.path)}
      fault={faultOf(field, faults)}
      disabled={launch.parsed.fault !== null}
      onChange={(value, typed) =>
        field.kind === "driver"
          ? launch.changeDriver(String(value))
          : launch.change(field.path, value, typed)
      }
    />
  );
  if (shown.length === 0 && more.length === 0) return null;
  return (
    <fieldset id={sectionDomId(section.id)} className={styles.section} aria-label={section.label}>
      <h2>
        {section.label}
        {section.note && <span>{section.note}</span>}
      </h2>
      {shown.length > 0 && <div className={styles.grid}>{shown.map(input)}</div>}
      {more.length > 0 && (
        <details className={styles.more} open={isMoreOpen || undefined}>
          <summary>More, {more.length}</summary>
          <div className={styles.grid}>{more.map(input)}</div>
        </details>
      )}
    </fieldset>
  );
}

/** A map shows what is wrong with any of its keys. */
function faultOf(field: LaunchField, faults: Faults) {
  const own = faults.get(field.path);
  if (own || field.kind !== "pairs") return own;
  for (const [path, fault] of faults) if (path.startsWith(`${field.path}.`)) return fault;
  return undefined;
}
