"use client";
import { useRef } from "react";
import { formatCount } from "#ui/format-number.ts";
import { Icon } from "#ui/icon.tsx";
import { Kbd } from "#ui/kbd.tsx";
import { usePageKeys } from "#ui/use-page-keys.ts";

/** Find in the rollout: `/` focuses, Enter and ⇧Enter go through the turns that match, Escape empties. */
export function FindBox({
  value,
  at,
  turns,
  matches,
  onChange,
  onNext,
}: {
  value: string;
  /** Place of the current turn among those that match; −1 where it is none of them. */
  at: number;
  turns: number;
  matches: number;
  onChange: (value: string) => void;
  onNext: (by: 1 | -1) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  usePageKeys([["/", () => field.current?.focus()]]);
  const place = at < 0 ? "" : `${at + 1} of `;
  return (
    <label className="search" style={{ width: 264, height: 26 }}>
      <Icon name="search" size={13} />
      <input
        ref={field}
        type="search"
        aria-label="Find in rollout"
        placeholder="Find in rollout"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onNext(event.shiftKey ? -1 : 1);
          if (event.key !== "Escape") return;
          if (value !== "") onChange("");
          else event.currentTarget.blur();
        }}
      />
      {value === "" ? (
        <Kbd>/</Kbd>
      ) : (
        <span
          className="f11 i3 nowrap"
          role="status"
          title={`${formatCount(matches)} places; ⏎ next turn, ⇧⏎ previous turn`}
        >
          {place}
          {turns === 1 ? "1 turn" : `${formatCount(turns)} turns`}
        </span>
      )}
    </label>
  );
}
