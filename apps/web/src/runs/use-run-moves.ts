"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";
import { formatBytes } from "#ui/format-number.ts";

/** Stop, checkpoint and resume, each with a word back: what will happen, or why it did not. */
export function useRunMoves(runId: string, name: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();

  function said(message: string) {
    return async () => {
      notifications.show({ message: `${name}: ${message}`, autoClose: 4_000, withBorder: false });
      await Promise.all([
        queries.invalidateQueries({ queryKey: trpc.run.get.queryKey({ id: runId }) }),
        queries.invalidateQueries(trpc.run.list.queryFilter()),
      ]);
    };
  }
  function refused(act: string) {
    return (error: unknown) => {
      notifications.show({
        color: "red",
        title: `${act} did not work`,
        message: describeError(error).message,
        autoClose: 10_000,
      });
    };
  }

  return {
    stop: useMutation(
      trpc.run.stop.mutationOptions({
        onSuccess: said("stop requested"),
        onError: refused("Stop"),
      }),
    ),
    checkpoint: useMutation(
      trpc.run.checkpoint.mutationOptions({
        onSuccess: said("a checkpoint follows this step"),
        onError: refused("Checkpoint"),
      }),
    ),
    clean: useMutation(
      trpc.run.clean.mutationOptions({
        onSuccess: async ({ processes, pods, freedBytes }, input) => {
          const left = processes === 1 ? "1 process" : `${processes} processes`;
          const removed = pods === 0 ? "" : `, ${pods === 1 ? "1 pod" : `${pods} pods`} removed`;
          await said(`cleaned, ${formatBytes(freedBytes)} freed, ${left} ended${removed}`)();
          if (input.logs) await queries.invalidateQueries(trpc.log.pathFilter());
          if (input.trials) await queries.invalidateQueries(trpc.trajectory.pathFilter());
        },
        onError: refused("Clean"),
      }),
    ),
    delete: useMutation(
      trpc.run.delete.mutationOptions({
        onSuccess: async ({ freedBytes }) => {
          notifications.show({
            message: `${name} is deleted, ${formatBytes(freedBytes)} freed`,
            autoClose: 4_000,
            withBorder: false,
          });
          // Its own page asks for it no more: that comes next.
          await queries.invalidateQueries(trpc.run.list.queryFilter());
        },
        onError: refused("Delete"),
      }),
    ),
    resume: useMutation(
      trpc.run.resume.mutationOptions({ onSuccess: said("resuming"), onError: refused("Resume") }),
    ),
  };
}
