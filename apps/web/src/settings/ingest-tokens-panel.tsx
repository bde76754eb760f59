"use client";
import { type ApiToken, CreateToken } from "@liverl/contract/api-token";
import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import styles from "#settings/settings.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { Ago } from "#ui/ago.tsx";
import { CopyButton } from "#ui/copy-button.tsx";
import { describeError } from "#ui/describe-error.ts";
import { ErrorState } from "#ui/error-state.tsx";
import { Panel } from "#ui/panel.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

/** Tokens with which trainers log into this project. */
export function IngestTokensPanel({ project }: { project: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.token.list.queryOptions());
  const tokens = query.data?.tokens.filter((token) => token.project === project);
  return (
    <Panel title="Ingest tokens" note="for trainers that log into this project">
      {tokens ? (
        <>
          {tokens.length > 0 && (
            <ul className={styles.rows} aria-label="Ingest tokens">
              {tokens.map((token) => (
                <Token key={token.name} token={token} />
              ))}
            </ul>
          )}
          <NewToken project={project} />
        </>
      ) : query.isError ? (
        <ErrorState
          what="The tokens could not be read"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <SkeletonRows rows={1} />
      )}
    </Panel>
  );
}

function Token({ token }: { token: ApiToken }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const revoke = useMutation(
    trpc.token.revoke.mutationOptions({
      onSuccess: () => queries.invalidateQueries(trpc.token.list.queryFilter()),
    }),
  );
  const { name, createdAt, lastUsedAt, expiresAt } = token;
  return (
    <li className={styles.access}>
      <span className={styles.what}>
        <b>{name}</b>
        <span className="i3">
          made <Ago at={createdAt} />
          {lastUsedAt === null ? " · never used" : " · last used "}
          {lastUsedAt !== null && <Ago at={lastUsedAt} />}
          {expiresAt !== null && ` · ends on ${expiresAt.slice(0, 10)}`}
        </span>
      </span>
      {revoke.isError && <span className="bad-t">{describeError(revoke.error).message}</span>}
      <Button
        size="compact-sm"
        loading={revoke.isPending}
        onClick={() => revoke.mutate({ name })}
        aria-label={`Revoke ${name}`}
      >
        Revoke
      </Button>
    </li>
  );
}

function NewToken({ project }: { project: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [days, setDays] = useState("");
  const create = useMutation(
    trpc.token.create.mutationOptions({
      onSuccess: () => {
        setName("");
        return queries.invalidateQueries(trpc.token.list.queryFilter());
      },
    }),
  );
  const wish = CreateToken.safeParse({
    ...{ name: name.trim(), scope: "ingest", project },
    ...(days.trim() !== "" && { days: Number(days) }),
  });
  const fault = name === "" || wish.success ? null : wish.error.issues[0]?.message;
  return (
    <form
      className={styles.access}
      onSubmit={(event) => {
        event.preventDefault();
        if (wish.success) create.mutate(wish.data);
      }}
    >
      <span className={styles.fields}>
        <TextInput
          aria-label="Name of the token"
          placeholder="Name"
          value={name}
          w={160}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          aria-label="Days until it ends"
          placeholder="Days, or no end"
          value={days}
          w={130}
          onChange={(event) => setDays(event.currentTarget.value)}
        />
        <Button type="submit" variant="filled" disabled={!wish.success} loading={create.isPending}>
          Make a token
        </Button>
      </span>
      {fault && (
        <span className="bad-t" role="alert">
          {fault}
        </span>
      )}
      {create.isError && <span className="bad-t">{describeError(create.error).message}</span>}
      {create.data && (
        <span className={styles.fields}>
          <span className={`m ${styles.token}`}>{create.data.token}</span>
          <CopyButton text={create.data.token} what="the token" />
          <span className="i3">It is shown once: copy it now.</span>
        </span>
      )}
    </form>
  );
}
