"use client";
import styles from "#launch/launch.module.css";
import { LaunchFieldInput } from "#launch/launch-field-input.tsx";
import { LAUNCH_SECTIONS } from "#launch/launch-fields.ts";
import type { Provenance } from "#launch/prepare-provenance.ts";
import { readPath } from "#launch/read-path.ts";
import type { Launch } from "#launch/use-launch.ts";

export const sectionDomId = (id: string) => `launch-${id}`;

/** The draft as fields. While its YAML does not parse, the fields are locked and say so. */
export function LaunchForm({
  launch,
  sources,
  faults,
}: {
  launch: Launch;
  sources: ReadonlyMap<string, Provenance>;
  faults: ReadonlyMap<string, { level: "fail" | "warn"; message: string }>;
}) {
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
      {LAUNCH_SECTIONS.map((section) => (
        <fieldset
          key={section.id}
          id={sectionDomId(section.id)}
          className={styles.section}
          aria-label={section.label}
        >
          <h2>
            {section.label}
            {section.note && <span>{section.note}</span>}
          </h2>
          <div className={styles.grid}>
            {section.fields.map((field) => (
              <LaunchFieldInput
                key={field.path}
                field={field}
                value={readPath(parsed.spec, field.path)}
                provenance={parsed.fault ? undefined : sources.get(field.path)}
                fault={faults.get(field.path)}
                disabled={parsed.fault !== null}
                onChange={(value, typed) => launch.change(field.path, value, typed)}
              />
            ))}
          </div>
        </fieldset>
      ))}
    </form>
  );
}
