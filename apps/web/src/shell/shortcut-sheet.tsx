"use client";
import { Modal } from "@mantine/core";
import { GLOBAL_SHORTCUTS, type Shortcut } from "#shell/shortcuts.ts";
import { Kbd } from "#ui/kbd.tsx";

/** Lists only the keys that work on this page. */
export function ShortcutSheet({
  isOpen,
  onClose,
  page,
}: {
  isOpen: boolean;
  onClose: () => void;
  page: readonly Shortcut[];
}) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Keyboard"
      size={460}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {page.length > 0 && <ShortcutList title="This page" shortcuts={page} />}
      <ShortcutList title="Everywhere" shortcuts={GLOBAL_SHORTCUTS} />
    </Modal>
  );
}

function ShortcutList({ title, shortcuts }: { title: string; shortcuts: readonly Shortcut[] }) {
  return (
    <section className="keys">
      <h3>{title}</h3>
      <dl>
        {shortcuts.map((shortcut) => (
          <div key={shortcut.does}>
            <dt>{shortcut.does}</dt>
            <dd className="row g4">
              {shortcut.keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
