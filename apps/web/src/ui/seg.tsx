import type { ReactNode } from "react";

export type SegOption<T extends string> = { value: T; label: ReactNode; title?: string };

/** One choice of a few, shown together. `label` names the group for a screen reader. */
export function Seg<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly SegOption<T>[];
  onChange: (value: T) => void;
}) {
  return (
    <span className="seg" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          className={option.value === value ? "on" : ""}
          aria-pressed={option.value === value}
          title={option.title}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </span>
  );
}
