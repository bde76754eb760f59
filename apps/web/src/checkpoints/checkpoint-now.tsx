import type { RunDetail } from "@liverl/contract/run";
import { Button, Tooltip } from "@mantine/core";
import { useRunMoves } from "#runs/use-run-moves.ts";
import { Icon } from "#ui/icon.tsx";

const SMALL = { size: "xs", h: 24, px: 8, fz: 12 } as const;

/** Asks for a checkpoint after the current step; where that can not be, the button says why. */
export function CheckpointNow({ run, isSmall = false }: { run: RunDetail; isSmall?: boolean }) {
  const { checkpoint } = useRunMoves(run.id, run.name);
  const may = run.can.checkpoint;
  return (
    <Tooltip label={may === true ? "Written after the current step" : may}>
      <Button
        {...(isSmall && { ...SMALL, leftSection: <Icon name="plus" size={12} /> })}
        disabled={may !== true}
        loading={checkpoint.isPending}
        onClick={() => checkpoint.mutate({ id: run.id })}
      >
        Checkpoint now
      </Button>
    </Tooltip>
  );
}
