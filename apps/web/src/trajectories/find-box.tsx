"use client";
import { useHotkeys } from "@mantine/hooks";
import { useRef } from "react";
import { Icon } from "#ui/icon.tsx";
import { Kbd } from "#ui/kbd.tsx";

/** Find in the rollout: `/` focuses, Enter and ⇧Enter go through the turns that match, Escape empties. */
export function FindBox({
  value,
  matches,
  onChange,
  onNext,
}: {
  value: string;
  matches: number;
  onChange: (value: string) => void;
  onNext: (by: 1 | -1) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  useHotkeys([["/", () => field.current?.focus()]]);
  return (
    <label className="search" style={{ width: 224, height: 26 }}>
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
        <span className="f11 i3 nowrap">{matches === 1 ? "1 turn" : `${matches} turns`}</span>
      )}
    </label>
  );
}
