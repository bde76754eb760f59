"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";

/** Saves and deletes views of a project. The list is read again before the page goes on to the view. */
export function useViewMoves(project: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const readAgain = () => queries.invalidateQueries(trpc.view.list.pathFilter());
  const refused = (act: string) => (error: unknown) => {
    notifications.show({
      color: "red",
      title: `${act} did not work`,
      message: describeError(error).message,
      autoClose: 10_000,
    });
  };
  const said = async (message: string) => {
    await readAgain();
    notifications.show({ message, autoClose: 3_000, withBorder: false });
  };
  return {
    save: useMutation(
      trpc.view.save.mutationOptions({
        onSuccess: ({ name }) => said(`View “${name}” is saved for all runs of ${project}`),
        onError: refused("Saving the view"),
      }),
    ),
    remove: useMutation(
      trpc.view.delete.mutationOptions({
        onSuccess: () => said("The view is deleted"),
        onError: refused("Deleting the view"),
      }),
    ),
  };
}
