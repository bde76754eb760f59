"use client";
import { isTerminal, type RunDetail } from "@liverl/contract/run";
import { ActionIcon, Button, Menu, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useRouter } from "next/navigation";
import { useRef } from "react";
import { CleanDialog } from "#runs/clean-dialog.tsx";
import { EndDialog } from "#runs/end-dialog.tsx";
import { stopWords } from "#runs/stop-words.ts";
import { TagRunsButton } from "#runs/tag-runs-button.tsx";
import { useRunMoves } from "#runs/use-run-moves.ts";
import { launchHref, runsHref } from "#shell/links.ts";
import { startDownload } from "#trpc/page-key.ts";
import { Icon } from "#ui/icon.tsx";
import { Link } from "#ui/link.tsx";

const STOPS = {
  embedded: "Finishes the current step, writes a checkpoint, then ends",
  verl: "Finishes the current step, then ends. verl writes no checkpoint for it: what came after its last one is lost",
} as const;

/** Beside the run's name there is room for so many. */
const SHOWN_TAGS = 2;

/** Buttons for what a person does to a run. An act that is not possible now says why. */
export function RunActions({ run }: { run: RunDetail }) {
  const moves = useRunMoves(run.id, run.name);
  const more = useRef<HTMLButtonElement>(null);
  // The item of the menu that opened a dialog is gone by then.
  const giveFocusBack = () => more.current?.focus();
  const [isKillOpen, kill] = useDisclosure(false);
  const [isAbandonOpen, abandon] = useDisclosure(false);
  const [isCleanOpen, clean] = useDisclosure(false);
  const [isDeleteOpen, deletion] = useDisclosure(false);
  const router = useRouter();
  const { can } = run;
  const isLive = can.kill === true;
  const stopping = stopWords(run);
  const isLaunched = run.driver !== "attached";
  // verl writes checkpoints by its plan and has no ear for more.
  const takesCheckpoints = run.driver === "embedded";
  // What a tracker's client logs is pushed: there is nothing to stop reading.
  const isRead = run.source === "file" || run.source === "tensorboard";
  return (
    <div className="row">
      <span className="row g4">
        {run.tags.slice(0, SHOWN_TAGS).map((tag) => (
          <span key={tag} className="tag hide-lg">
            {tag}
          </span>
        ))}
        {run.tags.length > SHOWN_TAGS && (
          <span className="i3 f12 hide-lg" title={run.tags.slice(SHOWN_TAGS).join(", ")}>
            +{run.tags.length - SHOWN_TAGS}
          </span>
        )}
        <TagRunsButton ids={[run.id]} what={run.name} has={run.tags} />
      </span>
      {stopping !== null && (
        <span className="f12 i2 nowrap" role="status">
          {stopping}
        </span>
      )}
      {stopping === null && isLive && run.status !== "queued" && takesCheckpoints && (
        <Tooltip
          label={can.checkpoint === true ? "Written after the current step" : can.checkpoint}
        >
          <Button
            className="hide-lg"
            leftSection={<Icon name="ckpt" size={14} />}
            disabled={can.checkpoint !== true}
            loading={moves.checkpoint.isPending}
            onClick={() => moves.checkpoint.mutate({ id: run.id })}
          >
            Checkpoint now
          </Button>
        </Tooltip>
      )}
      {isLive && isLaunched && run.status === "queued" && (
        <Button
          leftSection={<Icon name="x" size={14} />}
          loading={moves.stop.isPending}
          onClick={() => moves.stop.mutate({ id: run.id, when: "now" })}
        >
          Cancel launch
        </Button>
      )}
      {stopping === null && isLive && isLaunched && run.status !== "queued" && (
        <Tooltip
          label={can.stop === true ? (takesCheckpoints ? STOPS.embedded : STOPS.verl) : can.stop}
        >
          <Button
            leftSection={<Icon name="stop" size={14} />}
            disabled={can.stop !== true || moves.stop.isPending}
            onClick={() => moves.stop.mutate({ id: run.id, when: "after-step" })}
          >
            {moves.stop.isPending ? "Stopping…" : "Stop after step"}
          </Button>
        </Tooltip>
      )}
      {run.driver === "attached" && can.stop === true && (
        <Tooltip
          label={
            isRead
              ? "It is read no more; what was read stays"
              : "Its trainer is not told, and what it still logs is kept"
          }
        >
          <Button
            leftSection={<Icon name="stop" size={14} />}
            loading={moves.stop.isPending}
            onClick={() => moves.stop.mutate({ id: run.id, when: "now" })}
          >
            {isRead ? "Stop following" : "Mark as ended"}
          </Button>
        </Tooltip>
      )}
      {can.abandon === true && (
        <Tooltip label="Its cluster has not said yet that the job is gone">
          <Button leftSection={<Icon name="x" size={14} />} onClick={abandon.open}>
            Give the job up…
          </Button>
        </Tooltip>
      )}
      {can.resume === true && (
        <Button
          leftSection={<Icon name="play" size={14} />}
          loading={moves.resume.isPending}
          onClick={() => moves.resume.mutate({ id: run.id })}
        >
          Resume
        </Button>
      )}
      {isLaunched && (
        <Button
          className="hide-lg"
          component={Link}
          href={launchHref(run.project, { from: run.id })}
        >
          Clone
        </Button>
      )}
      <Menu position="bottom-end" width={250}>
        <Menu.Target>
          <ActionIcon ref={more} aria-label="More actions">
            <Icon name="dots" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isLaunched && (
            <>
              {takesCheckpoints && (
                <Act
                  icon="ckpt"
                  label="Checkpoint now"
                  why={can.checkpoint}
                  onClick={() => moves.checkpoint.mutate({ id: run.id })}
                />
              )}
              <Act
                icon="stop"
                label="Stop after step"
                why={can.stop}
                onClick={() => moves.stop.mutate({ id: run.id, when: "after-step" })}
              />
              <Act
                icon="play"
                label="Resume from latest checkpoint"
                why={can.resume}
                onClick={() => moves.resume.mutate({ id: run.id })}
              />
              <Menu.Item
                component={Link}
                href={launchHref(run.project, { from: run.id })}
                leftSection={<Icon name="copy" size={14} />}
              >
                Clone
              </Menu.Item>
              <Act icon="x" label="Clean…" why={can.clean} onClick={clean.open} />
              <Menu.Divider />
              {can.abandon === true ? (
                <Act icon="x" label="Give the job up…" why onClick={abandon.open} isDanger />
              ) : (
                <Act icon="x" label="Kill…" why={can.kill} onClick={kill.open} isDanger />
              )}
              <Menu.Divider />
            </>
          )}
          {isTerminal(run.status) && (
            <Menu.Item
              onClick={() =>
                void startDownload(`/api/v1/runs/${encodeURIComponent(run.id)}/archive.tar.gz`)
              }
              leftSection={<Icon name="down" size={14} />}
            >
              Download archive
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<Icon name="copy" size={14} />}
            onClick={() => void navigator.clipboard.writeText(run.id)}
          >
            Copy run id
          </Menu.Item>
          <Menu.Divider />
          <Act icon="x" label="Delete…" why={can.delete} onClick={deletion.open} isDanger />
        </Menu.Dropdown>
      </Menu>
      <EndDialog
        title={`Kill ${run.name}?`}
        isOpen={isKillOpen}
        onClose={kill.close}
        onClosed={giveFocusBack}
        isPending={moves.stop.isPending}
        keep="Keep running"
        end="Kill run"
        onEnd={() => moves.stop.mutate({ id: run.id, when: "now" }, { onSuccess: kill.close })}
      >
        The trainer ends at once. What step {run.step + 1} did so far is lost; checkpoints and
        recorded rollouts stay. To end it cleanly, use “Stop after step”.
      </EndDialog>
      <EndDialog
        title={`Delete ${run.name}?`}
        isOpen={isDeleteOpen}
        onClose={deletion.close}
        onClosed={giveFocusBack}
        isPending={moves.delete.isPending}
        keep="Keep it"
        end="Delete for good"
        onEnd={() =>
          moves.delete.mutate(
            { id: run.id },
            { onSuccess: () => router.push(runsHref(run.project)) },
          )
        }
      >
        <span className="m">{run.id}</span> goes with all that is kept of it: {run.counts.rollouts}{" "}
        rollouts with every token, {run.counts.metrics} metrics, {run.counts.checkpoints}{" "}
        {run.counts.checkpoints === 1 ? "checkpoint" : "checkpoints"}, its logs, replays and alerts.
        There is no way back but an archive that you downloaded before.
      </EndDialog>
      <CleanDialog
        run={run}
        isOpen={isCleanOpen}
        onClose={clean.close}
        onClosed={giveFocusBack}
        isPending={moves.clean.isPending}
        onClean={(what) => moves.clean.mutate({ id: run.id, ...what }, { onSuccess: clean.close })}
      />
      <EndDialog
        title={`Give the job of ${run.name} up?`}
        isOpen={isAbandonOpen}
        onClose={abandon.close}
        onClosed={giveFocusBack}
        isPending={moves.stop.isPending}
        keep="Wait for the cluster"
        end="Give up"
        onEnd={() =>
          moves.stop.mutate({ id: run.id, when: "abandon" }, { onSuccess: abandon.close })
        }
      >
        LiveRL asks the cluster no more and ends the run here. If the cluster still lives, the job
        may go on there and hold its GPUs: end it with the cluster’s own tools.
      </EndDialog>
    </div>
  );
}

function Act({
  icon,
  label,
  why,
  onClick,
  isDanger = false,
}: {
  icon: "ckpt" | "stop" | "play" | "x";
  label: string;
  why: true | string;
  onClick: () => void;
  isDanger?: boolean;
}) {
  return (
    <Menu.Item
      leftSection={<Icon name={icon} size={14} />}
      disabled={why !== true}
      onClick={onClick}
      className={isDanger && why === true ? "bad-t" : undefined}
    >
      {label}
      {why !== true && <span className="act-why">{why}</span>}
    </Menu.Item>
  );
}
