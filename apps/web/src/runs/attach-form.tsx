"use client";
import { AttachRun } from "@liverl/contract/run";
import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { runHref } from "#shell/links.ts";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";

type Wish = { path: string; name: string };
export type AttachSource = AttachRun["source"];

const WORDS: Record<AttachSource, { what: React.ReactNode; label: string; example: string }> = {
  file: {
    what: (
      <>
        The JSONL file that verl’s <span className="m">file</span> logger writes, finished or still
        growing. LiveRL only reads it.
      </>
    ),
    label: "Path on this machine",
    example: "/data/runs/my-run.jsonl",
  },
  tensorboard: {
    what: "The folder in which TensorBoard’s event files lie, finished or still growing. Its scalars are read; folders in it are runs of their own.",
    label: "Folder on this machine",
    example: "/data/tensorboard/my-run",
  },
};

/** Faults of shape by field, in the contract's own words. */
function faultsOf(project: string, wish: Wish): Partial<Record<keyof Wish, string>> {
  const checked = AttachRun.safeParse({ project, ...wish });
  const faults: Partial<Record<keyof Wish, string>> = {};
  if (wish.path !== "" && !wish.path.startsWith("/"))
    faults.path = "an absolute path, from the root of this machine";
  if (checked.success) return faults;
  for (const issue of checked.error.issues) {
    const field = issue.path[0];
    if (field === "path" || field === "name") faults[field] ??= issue.message;
  }
  return faults;
}

/** Follows what another program writes on this machine. */
export function AttachForm({
  project,
  source,
  onClose,
}: {
  project: string;
  source: AttachSource;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const form = useForm<Wish>({
    initialValues: { path: "", name: "" },
    validate: (wish) => faultsOf(project, wish),
  });
  const attach = useMutation(
    trpc.run.attach.mutationOptions({
      onSuccess: async ({ id }) => {
        await queries.invalidateQueries(trpc.run.list.queryFilter());
        form.reset();
        onClose();
        router.push(runHref(project, id));
      },
    }),
  );
  const { what, label, example } = WORDS[source];
  return (
    <form onSubmit={form.onSubmit((wish) => attach.mutate({ project, source, ...wish }))}>
      <p className="i2">{what}</p>
      <TextInput
        label={label}
        placeholder={example}
        mt={12}
        data-autofocus
        spellCheck={false}
        {...form.getInputProps("path")}
      />
      <TextInput
        label="Name of the run"
        placeholder="my-run"
        mt={10}
        spellCheck={false}
        {...form.getInputProps("name")}
      />
      {attach.isError && (
        <p className="note bad" role="alert" style={{ marginTop: 12 }}>
          {describeError(attach.error).message}
        </p>
      )}
      <div className="row dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={attach.isPending}>
          Attach
        </Button>
      </div>
    </form>
  );
}
