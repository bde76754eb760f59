"use client";
import { Button, Popover } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import styles from "#filters/filters.module.css";
import { describeError } from "#ui/describe-error.ts";
import { Icon } from "#ui/icon.tsx";

/** A button that opens a form for one tag, to be added or taken away. What goes wrong is shown there; it stays open for it. */
export function TagPopover({
  what,
  has = [],
  isPending,
  error,
  onSend,
}: {
  /** What is tagged, in words: `3 marked`. */
  what: string;
  /** Tags that it has already, each to be taken away by a press. */
  has?: readonly string[];
  isPending: boolean;
  error: unknown;
  onSend: (kind: "add" | "remove", tag: string) => Promise<unknown>;
}) {
  const [isOpen, { close, toggle }] = useDisclosure(false);
  const [tag, setTag] = useState("");
  const isIdle = tag.trim() === "" || isPending;
  const send = (kind: "add" | "remove", word: string) =>
    onSend(kind, word)
      .then(() => {
        setTag("");
        close();
      })
      .catch(() => undefined);
  return (
    <Popover
      opened={isOpen}
      onDismiss={close}
      position="bottom-end"
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <Button
          size="compact-sm"
          leftSection={<Icon name="flag" size={13} />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          Tag
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          className={styles.column}
          onSubmit={(event) => {
            event.preventDefault();
            void send("add", tag.trim());
          }}
        >
          <span className="f12 i3">Tag {what}</span>
          {has.length > 0 && (
            <span className="row g4" style={{ flexWrap: "wrap" }}>
              {has.map((one) => (
                <button
                  key={one}
                  type="button"
                  className="chip"
                  aria-label={`Take ${one} away`}
                  disabled={isPending}
                  onClick={() => void send("remove", one)}
                >
                  {one}
                  <Icon name="x" size={11} />
                </button>
              ))}
            </span>
          )}
          <input
            type="text"
            aria-label="Tag"
            placeholder="suspect"
            maxLength={40}
            value={tag}
            onChange={(event) => setTag(event.currentTarget.value)}
          />
          <div className={styles.pair}>
            <Button type="submit" size="compact-xs" variant="filled" disabled={isIdle}>
              Add
            </Button>
            <Button
              size="compact-xs"
              disabled={isIdle}
              onClick={() => void send("remove", tag.trim())}
            >
              Remove
            </Button>
          </div>
          {error != null && (
            <span className="f12 bad-t" role="alert">
              {describeError(error).message}
            </span>
          )}
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
