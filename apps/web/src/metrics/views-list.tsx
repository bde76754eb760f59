"use client";
import type { SavedView } from "@liverl/contract/metrics-view";
import { Button } from "@mantine/core";
import { useState } from "react";
import classes from "#metrics/metrics-page.module.css";
import type { MetricsViewState } from "#metrics/use-metrics-view.ts";
import { useViewMoves } from "#metrics/use-view-moves.ts";
import { DeleteViewDialog, SaveViewDialog } from "#metrics/view-dialogs.tsx";
import { Icon } from "#ui/icon.tsx";

/** The preset's views and those that people saved for the project; what is changed on the page can be saved. */
export function ViewsList({ project, view }: { project: string; view: MetricsViewState }) {
  const { shipped, saved, current, isChanged, state } = view;
  const [dialog, setDialog] = useState<"save" | "delete" | null>(null);
  const close = () => setDialog(null);
  const { save, remove } = useViewMoves(project);
  const own: SavedView | null = saved.find(({ id }) => id === current?.id) ?? null;
  return (
    <nav className={classes.views} aria-label="Views">
      <h2>Views</h2>
      {[...shipped, ...saved].map(({ id, name }) => {
        const isCurrent = id === current?.id;
        return (
          <button
            key={id}
            type="button"
            aria-current={isCurrent ? "page" : undefined}
            title={
              saved.some((one) => one.id === id) ? `Saved in ${project}` : "Comes with the preset"
            }
            onClick={() => view.open(id)}
          >
            <Icon name={saved.some((one) => one.id === id) ? "pin" : "cols"} size={12} />
            <span className="trunc">{name}</span>
            {isCurrent && isChanged && <span className={classes.count}>changed</span>}
          </button>
        );
      })}
      <div className={classes.viewActs}>
        {isChanged && own !== null && (
          <Button
            size="compact-xs"
            loading={save.isPending}
            onClick={() =>
              save.mutate(
                { id: own.id, project, name: own.name, state, seenAt: own.updatedAt },
                { onSuccess: () => view.open(own.id, "replace") },
              )
            }
          >
            Update
          </Button>
        )}
        {isChanged && (
          <Button size="compact-xs" onClick={() => setDialog("save")}>
            Save as…
          </Button>
        )}
        {!isChanged && own !== null && (
          <Button size="compact-xs" onClick={() => setDialog("delete")}>
            Delete
          </Button>
        )}
      </div>
      <SaveViewDialog
        project={project}
        isOpen={dialog === "save"}
        onClose={close}
        isPending={save.isPending}
        onSave={(name) =>
          save.mutate(
            { project, name, state },
            {
              onSuccess: ({ id }) => {
                close();
                view.open(id, "replace");
              },
            },
          )
        }
      />
      <DeleteViewDialog
        view={own}
        isOpen={dialog === "delete"}
        onClose={close}
        isPending={remove.isPending}
        onDelete={(id) =>
          remove.mutate(
            { id },
            {
              onSuccess: () => {
                close();
                view.open(shipped[0]?.id ?? "", "replace");
              },
            },
          )
        }
      />
    </nav>
  );
}
