"use client";
import { ActionIcon } from "@mantine/core";
import { usePanelLayout } from "#metrics/layout-context.tsx";
import classes from "#metrics/metrics-page.module.css";
import { Icon } from "#ui/icon.tsx";

/** Puts a panel among the pinned ones or takes it out. Seen on hover and focus, and always where there is no hover. */
export function PinButton({ title }: { title: string }) {
  const { pins, toggle } = usePanelLayout();
  const isPinned = pins.has(title);
  return (
    <ActionIcon
      size={18}
      variant="subtle"
      className={classes.pin}
      aria-pressed={isPinned}
      aria-label={`${isPinned ? "Unpin" : "Pin"} ${title}`}
      title={isPinned ? "Unpin (p)" : "Pin (p)"}
      onClick={() => toggle(title)}
    >
      <Icon name="pin" size={12} />
    </ActionIcon>
  );
}
