"use client";
import { Button, FileButton, Modal } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import classes from "#runs/import.module.css";
import { faultOfFile, uploadArchive } from "#runs/upload-archive.ts";
import { runHref } from "#shell/links.ts";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";
import { formatBytes } from "#ui/format-number.ts";

/** Brings a run in from a file that an archive of it was downloaded to, and goes to it. */
export function ImportDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const ending = useRef<AbortController | null>(null);
  const [sent, setSent] = useState(0);
  const [isOver, setIsOver] = useState(false);
  const upload = useMutation({
    mutationFn: (file: File) => {
      const fault = faultOfFile(file);
      if (fault !== null) throw new Error(fault);
      ending.current = new AbortController();
      setSent(0);
      return uploadArchive(file, { onSent: setSent, signal: ending.current.signal });
    },
    onSuccess: async ({ id, project }) => {
      await queries.invalidateQueries(trpc.run.list.queryFilter());
      onClose();
      router.push(runHref(project, id));
    },
  });
  /** All of it is there: what it holds is put in its place now, and nothing ends that. */
  const isOut = upload.isPending && sent >= upload.variables.size;
  function close(): void {
    if (isOut) return;
    ending.current?.abort();
    upload.reset();
    onClose();
  }
  const take = (file: File | null | undefined) => {
    if (file && !upload.isPending) upload.mutate(file);
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title="Import a run"
      size={520}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <p className="i2">
        From an archive of this or another LiveRL, with its metrics, trials, replays and files. It
        comes in as it was, into the project that it was of.
      </p>
      <div
        role="group"
        aria-label="The archive"
        className={classes.drop}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setIsOver(false);
          take(event.dataTransfer.files[0]);
        }}
      >
        {upload.isPending ? (
          <Sending file={upload.variables} sent={sent} isOut={isOut} />
        ) : (
          <>
            <FileButton onChange={take} accept=".gz,.tgz,application/gzip">
              {(props) => (
                <Button {...props} data-autofocus>
                  Choose a file…
                </Button>
              )}
            </FileButton>
            <span className="i3 f12">or drop it here: my-run-01.tar.gz</span>
          </>
        )}
      </div>
      {upload.isError && (
        <p className="note bad" role="alert" style={{ marginTop: 12 }}>
          {describeError(upload.error).message}
        </p>
      )}
      <div className="row dialog-foot">
        <Button onClick={close} disabled={isOut}>
          {upload.isPending ? "End the upload" : "Cancel"}
        </Button>
      </div>
    </Modal>
  );
}

function Sending({ file, sent, isOut }: { file: File; sent: number; isOut: boolean }) {
  return (
    <>
      <progress
        className={classes.bar}
        aria-label="Sent"
        max={Math.max(1, file.size)}
        value={sent}
      />
      <span className="i2 f12">
        {isOut
          ? "It is being put in its place…"
          : `${formatBytes(sent)} of ${formatBytes(file.size)}`}
      </span>
      <span className="sr" role="status">
        {isOut ? "Sent. It is being put in its place." : `Sending ${file.name}`}
      </span>
    </>
  );
}
