"use client";
import { ActionIcon, CopyButton as MantineCopyButton, Tooltip } from "@mantine/core";
import { Icon } from "#ui/icon.tsx";

/** Copies a text; says so for a moment. `what` completes "Copy …". */
export function CopyButton({
  text,
  what,
  icon = "copy",
}: {
  text: string;
  what: string;
  /** Tells two of them apart that stand side by side. */
  icon?: "copy" | "term";
}) {
  return (
    <MantineCopyButton value={text} timeout={1200}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? "Copied" : `Copy ${what}`}>
          <ActionIcon size={22} onClick={copy} aria-label={copied ? "Copied" : `Copy ${what}`}>
            <Icon name={copied ? "check" : icon} size={13} />
          </ActionIcon>
        </Tooltip>
      )}
    </MantineCopyButton>
  );
}
