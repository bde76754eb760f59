"use client";
import type { TrajectoryView } from "@liverl/contract/views";
import { ActionIcon, Button } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { TagEditor } from "#rollouts/tag-editor.tsx";
import { outcomeOfSibling } from "#trajectories/outcome-of-sibling.ts";
import { prepareFacts } from "#trajectories/prepare-facts.ts";
import { prepareOutcome } from "#trajectories/prepare-outcome.ts";
import styles from "#trajectories/trajectories.module.css";
import { TrajectoryLink } from "#trajectories/trajectory-link.tsx";
import { Chip } from "#ui/chip.tsx";
import { Icon } from "#ui/icon.tsx";
import { Kbd } from "#ui/kbd.tsx";
import { Link } from "#ui/link.tsx";
import { plainText } from "#ui/plain-text.ts";
import { StatusDot } from "#ui/status-dot.tsx";

const DOTS = { ok: "ok", warn: "warn", bad: "bad", neutral: "run" } as const;

/** Which attempt this is and how it came out, its siblings, and its numbers. */
export function TrajectoryHead({
  view,
  groupHref,
  hrefOf,
  onSibling,
  onIntegrity,
}: {
  view: TrajectoryView;
  groupHref: string | null;
  hrefOf: (rolloutId: string) => string;
  onSibling: (by: 1 | -1) => void;
  onIntegrity: () => void;
}) {
  const { rollout } = view;
  const flags = view.verifier?.integrity.length ?? 0;
  const outcome = prepareOutcome(view);
  return (
    <header className={styles.top}>
      <div className={styles.title}>
        <h1 className="trunc">{rollout.taskName}</h1>
        {rollout.taskId !== rollout.taskName && (
          <span className="tag m hide-md">{rollout.taskId}</span>
        )}
        <span
          className="tag m hide-md"
          title={`Id of rollout ${rollout.index + 1} of its group: people count from 1, ids from 0`}
        >
          {rollout.rolloutId}
        </span>
        <Chip
          tone={outcome.tone}
          title={rollout.error ? plainText(rollout.error.exception_message) : undefined}
        >
          <StatusDot kind={DOTS[outcome.tone]} />
          {outcome.text}
        </Chip>
        {rollout.truncated && (
          <Chip tone="warn" title="A turn ended by its token limit">
            truncated
          </Chip>
        )}
        {flags > 0 && (
          <Chip tone="warn" title="Signs that the reward was not earned" onClick={onIntegrity}>
            <StatusDot kind="warn" />
            {flags === 1 ? "1 integrity flag" : `${flags} integrity flags`}
          </Chip>
        )}
        {rollout.keptSegments > 0 && (
          <Chip
            tone="neutral"
            title="The trainer's mode takes one path of each rollout: these are kept, and train nothing"
          >
            {`mode-single-output · ${rollout.keptSegments} kept`}
          </Chip>
        )}
        <div className="grow" />
        {view.runId !== null && <TagEditor rollout={rollout} runId={view.runId} />}
        {view.group.length > 0 && <Siblings view={view} hrefOf={hrefOf} onSibling={onSibling} />}
        {groupHref && (
          <Button
            component={Link}
            href={groupHref}
            size="xs"
            h={24}
            px={8}
            fz={12}
            leftSection={<Icon name="compare" size={14} />}
            rightSection={<Kbd>c</Kbd>}
          >
            Compare
          </Button>
        )}
        <CopyLink />
      </div>
      <dl className={styles.facts}>
        {prepareFacts(view).map((fact) => (
          <div key={fact.label} data-optional={fact.optional || undefined} title={fact.title}>
            <dt>{fact.label}</dt>
            <dd>
              {fact.mono ? <span className="m">{fact.value}</span> : fact.value}{" "}
              {fact.small && <small>{fact.small}</small>}
            </dd>
          </div>
        ))}
      </dl>
    </header>
  );
}

function Siblings({
  view,
  hrefOf,
  onSibling,
}: {
  view: TrajectoryView;
  hrefOf: (rolloutId: string) => string;
  onSibling: (by: 1 | -1) => void;
}) {
  const at = view.group.findIndex((sibling) => sibling.rolloutId === view.rollout.rolloutId);
  return (
    <nav className="row" aria-label="Rollouts of this group">
      <ActionIcon
        variant="default"
        size={24}
        aria-label="Previous sibling"
        disabled={at <= 0}
        onClick={() => onSibling(-1)}
      >
        <Icon name="chevl" size={14} />
      </ActionIcon>
      <span className={styles.siblings}>
        {view.group.map((sibling, index) => {
          const outcome = outcomeOfSibling(sibling);
          return (
            <TrajectoryLink
              key={sibling.rolloutId}
              rolloutId={sibling.rolloutId}
              href={hrefOf(sibling.rolloutId)}
              data-outcome={outcome}
              aria-current={index === at ? "page" : undefined}
              aria-label={`Rollout ${sibling.index + 1}: ${outcome}`}
              title={`Rollout ${sibling.index + 1}: ${outcome}`}
            >
              {outcome === "solved" ? (
                <Icon name="check" size={10} />
              ) : outcome === "no reward" ? (
                <Icon name="x" size={9} />
              ) : null}
            </TrajectoryLink>
          );
        })}
      </span>
      <ActionIcon
        variant="default"
        size={24}
        aria-label="Next sibling"
        disabled={at < 0 || at >= view.group.length - 1}
        onClick={() => onSibling(1)}
      >
        <Icon name="chev" size={14} />
      </ActionIcon>
    </nav>
  );
}

function CopyLink() {
  const clipboard = useClipboard({ timeout: 1200 });
  return (
    <Button
      className="hide-md"
      size="xs"
      h={24}
      px={8}
      fz={12}
      leftSection={<Icon name={clipboard.copied ? "check" : "link"} size={14} />}
      onClick={() => clipboard.copy(window.location.href)}
    >
      {clipboard.copied ? "Copied" : "Copy link"}
    </Button>
  );
}
