"use client";
import { Button } from "@mantine/core";
import type { Launch } from "#launch/use-launch.ts";

const NAMED = 4;

/** What a pasted script came to: how much was taken, what was left, and what stands for the rest. */
export function PastedNote({ launch }: { launch: Launch }) {
  const { last, undo, dismiss } = launch.pasted;
  if (last === null) return null;
  const { taken, notes, onto } = last;
  const left = [...new Set(notes.filter(({ isMinor }) => !isMinor).map(({ name }) => name))];
  const named = left.slice(0, NAMED);
  const rest = left.length - named.length;
  return (
    <p className="note row" role="status" style={{ margin: "10px 20px 0", flexWrap: "wrap" }}>
      <span className="grow">
        {taken} {taken === 1 ? "value" : "values"} taken from the script, onto {onto}.
        {left.length > 0 && ` Left: ${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}.`}
      </span>
      <Button variant="subtle" color="gray" size="xs" h={24} px={8} onClick={undo}>
        Undo
      </Button>
      <Button variant="subtle" color="gray" size="xs" h={24} px={8} onClick={dismiss}>
        Dismiss
      </Button>
    </p>
  );
}
