"use client";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import styles from "#runs/attach.module.css";
import { type Tracker, trackerSetup } from "#runs/tracker-setup.ts";
import { useTRPC } from "#trpc/client.tsx";
import { CopyButton } from "#ui/copy-button.tsx";
import { describeError } from "#ui/describe-error.ts";

const WORDS: Record<Tracker, { what: string; after: string }> = {
  mlflow: {
    what: "Set these where the trainer starts; it needs no other change.",
    after:
      "Its runs appear by themselves: the experiment is the project, params are the configuration.",
  },
  wandb: {
    what: "Set these where the trainer starts; it needs no other change. For clients of W&B.",
    after: "Its runs appear by themselves, with their configuration, console and files.",
  },
  api: {
    what: "Any program can log with one request. The first one that names a run makes it.",
    after: "Points may come in any order; of two with one step the last counts.",
  },
};

/** The lines that make a trainer log here, with this server's address and the place of its token. */
export function TrackerPanel({ tracker, onClose }: { tracker: Tracker; onClose: () => void }) {
  const system = useQuery(useTRPC().system.get.queryOptions());
  const [origin, setOrigin] = useState("http://127.0.0.1:4400");
  useEffect(() => setOrigin(window.location.origin), []);
  const { what, after } = WORDS[tracker];
  const lines = system.data ? trackerSetup(tracker, origin, system.data.dataDir) : null;
  return (
    <>
      <p className="i2">{what}</p>
      {system.isError && (
        <p className="note bad" role="alert">
          {describeError(system.error).message}
        </p>
      )}
      {lines !== null && (
        <div className={styles.lines}>
          <pre>{lines}</pre>
          <CopyButton text={lines} what="the lines" />
        </div>
      )}
      <p className="i2">
        {after} The token opens the routes that log, and nothing else. A trainer on another machine
        reaches this one through an SSH tunnel.
      </p>
      <div className="row dialog-foot">
        <Button onClick={onClose}>Close</Button>
      </div>
    </>
  );
}
