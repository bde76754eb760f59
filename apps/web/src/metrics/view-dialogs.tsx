"use client";
import type { SavedView } from "@liverl/contract/metrics-view";
import { Button, Modal, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";

export function SaveViewDialog({
  project,
  isOpen,
  onClose,
  isPending,
  onSave,
}: {
  project: string;
  isOpen: boolean;
  onClose: () => void;
  isPending: boolean;
  onSave: (name: string) => void;
}) {
  const [name, setName] = useState("");
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (name.trim() !== "") onSave(name.trim());
  }
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Save this view"
      size={420}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form onSubmit={submit}>
        <p className="i2">
          Pins, order, search, axes and smoothing, for every run of {project}. Its link can be
          shared.
        </p>
        <TextInput
          mt={12}
          label="Name"
          value={name}
          maxLength={60}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <div className="row dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="filled" loading={isPending} disabled={name.trim() === ""}>
            Save
          </Button>
        </div>
      </form>
    </Modal>
  );
}

export function DeleteViewDialog({
  view,
  isOpen,
  onClose,
  isPending,
  onDelete,
}: {
  view: SavedView | null;
  isOpen: boolean;
  onClose: () => void;
  isPending: boolean;
  onDelete: (id: string) => void;
}) {
  return (
    <Modal
      opened={isOpen && view !== null}
      onClose={onClose}
      title={`Delete the view “${view?.name}”?`}
      size={420}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <p className="i2">
        {view?.author} saved it for all runs of the project. Links to it then show the preset's
        view.
      </p>
      <div className="row dialog-foot">
        <Button onClick={onClose} data-autofocus>
          Keep it
        </Button>
        <Button
          color="red"
          variant="filled"
          loading={isPending}
          onClick={() => view !== null && onDelete(view.id)}
        >
          Delete
        </Button>
      </div>
    </Modal>
  );
}
