"use client";
import { Button, Modal } from "@mantine/core";
import type { ReactNode } from "react";

/** Asks before a run is ended; its children say what is lost. */
export function EndDialog({
  title,
  isOpen,
  onClose,
  onClosed,
  isPending,
  keep,
  end,
  onEnd,
  children,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** It is gone from the screen: the time to give the focus back. */
  onClosed: () => void;
  isPending: boolean;
  /** Words of the button that changes nothing, and of the one that ends the run. */
  keep: string;
  end: string;
  onEnd: () => void;
  children: ReactNode;
}) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      title={title}
      size={440}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <p className="i2">{children}</p>
      <div className="row dialog-foot">
        <Button onClick={onClose} data-autofocus>
          {keep}
        </Button>
        <Button color="red.7" variant="filled" loading={isPending} onClick={onEnd}>
          {end}
        </Button>
      </div>
    </Modal>
  );
}
