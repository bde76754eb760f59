"use client";
import { ActionIcon, Button, Popover } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import styles from "#filters/filters.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";
import { Icon } from "#ui/icon.tsx";

/** Filters that the project keeps under a name, for everyone. */
export function SavedFilters({
  project,
  target,
  current,
  onApply,
}: {
  project: string;
  target: "rollouts" | "runs";
  current: string;
  onApply: (text: string) => void;
}) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [isOpen, { close, toggle }] = useDisclosure(false);
  const [name, setName] = useState("");
  const query = useQuery(trpc.filter.list.queryOptions({ project, target }, { enabled: isOpen }));
  const renew = () => queries.invalidateQueries(trpc.filter.list.queryFilter());
  const save = useMutation(trpc.filter.save.mutationOptions({ onSuccess: renew }));
  const remove = useMutation(trpc.filter.delete.mutationOptions({ onSuccess: renew }));
  const error = save.error ?? remove.error ?? query.error;
  return (
    <Popover opened={isOpen} onDismiss={close} position="bottom-end" trapFocus shadow="md">
      <Popover.Target>
        <Button
          size="compact-sm"
          leftSection={<Icon name="pin" size={13} />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          Saved
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={styles.column} style={{ width: 280 }}>
          {query.data?.filters.length === 0 && <span className="f12 i3">No filter is saved.</span>}
          {query.data?.filters.map((saved) => (
            <div key={saved.name} className={styles.saved}>
              <button
                type="button"
                title={saved.filter}
                onClick={() => {
                  close();
                  onApply(saved.filter);
                }}
              >
                <span>{saved.name}</span>
                <span className="m i3 trunc f12">{saved.filter}</span>
              </button>
              <ActionIcon
                variant="subtle"
                color="gray"
                size={22}
                aria-label={`Delete ${saved.name}`}
                onClick={() => remove.mutate({ project, target, name: saved.name })}
              >
                <Icon name="x" size={11} />
              </ActionIcon>
            </div>
          ))}
          <form
            className={styles.pair}
            onSubmit={(event) => {
              event.preventDefault();
              save.mutate({ project, target, name, filter: current });
              setName("");
            }}
          >
            <input
              type="text"
              style={{ flex: 1, width: "auto" }}
              aria-label="Name of the filter"
              placeholder={current === "" ? "Write a filter first" : "Save this filter as"}
              disabled={current === ""}
              maxLength={60}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" size="compact-xs" disabled={current === "" || name.trim() === ""}>
              Save
            </Button>
          </form>
          {error && <span className="f12 bad-t">{describeError(error).message}</span>}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
