"use client";
import type { SilenceView } from "@liverl/contract/alert";
import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import styles from "#alerts/alerts.module.css";
import { SilenceDialog } from "#alerts/silence-dialog.tsx";
import { useTRPC } from "#trpc/client.tsx";
import { formatExact } from "#ui/format-time.ts";
import { Panel } from "#ui/panel.tsx";

/** What is kept quiet, until when, and why. */
export function SilencesPanel({ project }: { project: string }) {
  const trpc = useTRPC();
  const [isOpen, setOpen] = useState(false);
  const silences = useQuery(trpc.alert.silences.queryOptions({ project })).data?.silences ?? [];
  return (
    <Panel
      title="Silences"
      note={silences.length}
      right={<Button onClick={() => setOpen(true)}>Silence the project</Button>}
    >
      {silences.length === 0 ? (
        <p className={`i3 ${styles.none}`}>Nothing is silenced.</p>
      ) : (
        <ul className={styles.rows} aria-label="Silences">
          {silences.map((silence) => (
            <Silence key={silence.id} project={project} silence={silence} />
          ))}
        </ul>
      )}
      <SilenceDialog
        project={project}
        of={isOpen ? "project" : null}
        onClose={() => setOpen(false)}
      />
    </Panel>
  );
}

function Silence({ project, silence }: { project: string; silence: SilenceView }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const end = useMutation(
    trpc.alert.endSilence.mutationOptions({ onSuccess: () => queries.invalidateQueries() }),
  );
  const { id, ruleName, runId, reason, actor, until } = silence;
  return (
    <li className={styles.row}>
      <span />
      <span className={styles.two}>
        <b>{[ruleName, runId].filter((part) => part !== null).join(" · ") || "Every alert"}</b>
        <span className="i2">{reason}</span>
        <span className="i3">
          until {formatExact(until)}, by {actor}
        </span>
      </span>
      <span className={styles.acts}>
        <Button loading={end.isPending} onClick={() => end.mutate({ project, id })}>
          End now
        </Button>
      </span>
    </li>
  );
}
