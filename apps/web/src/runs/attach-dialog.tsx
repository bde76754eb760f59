"use client";
import type { RunSource } from "@liverl/contract/run";
import { Modal } from "@mantine/core";
import { useState } from "react";
import { AttachForm } from "#runs/attach-form.tsx";
import { SOURCE_WORDS } from "#runs/source-words.ts";
import { TrackerPanel } from "#runs/tracker-panel.tsx";
import { Seg } from "#ui/seg.tsx";

const SOURCES: readonly RunSource[] = ["file", "tensorboard", "mlflow", "wandb", "api"];
const OPTIONS = SOURCES.map((value) => ({ value, label: SOURCE_WORDS[value].short }));

/** Every way in which the run of a trainer elsewhere comes into this project. */
export function AttachDialog({
  project,
  isOpen,
  onClose,
}: {
  project: string;
  isOpen: boolean;
  onClose: () => void;
}) {
  const [source, setSource] = useState<RunSource>("file");
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Attach a run"
      size={620}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <div style={{ marginBottom: 12 }}>
        <Seg label="Where its metrics are" value={source} options={OPTIONS} onChange={setSource} />
      </div>
      {source === "file" || source === "tensorboard" ? (
        <AttachForm key={source} project={project} source={source} onClose={onClose} />
      ) : (
        <TrackerPanel tracker={source} onClose={onClose} />
      )}
    </Modal>
  );
}
