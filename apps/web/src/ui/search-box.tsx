"use client";
import { useRef } from "react";
import { Icon, type IconName } from "#ui/icon.tsx";
import { Kbd } from "#ui/kbd.tsx";
import { usePageKeys } from "#ui/use-page-keys.ts";

/** A filter or find field. `/` focuses it, Escape empties it and then leaves it. */
export function SearchBox({
  label,
  value,
  onChange,
  width,
  icon = "search",
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  width?: number | string;
  icon?: IconName;
}) {
  const field = useRef<HTMLInputElement>(null);
  usePageKeys([["/", () => field.current?.focus()]]);
  return (
    <label className="search" style={{ width }}>
      <Icon name={icon} size={14} />
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          if (value !== "") onChange("");
          else event.currentTarget.blur();
        }}
      />
      <Kbd>/</Kbd>
    </label>
  );
}
