"use client";
import type { SignedInBrowser } from "@liverl/contract/browser";
import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import styles from "#settings/settings.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { Ago } from "#ui/ago.tsx";
import { describeError } from "#ui/describe-error.ts";
import { ErrorState } from "#ui/error-state.tsx";
import { Panel } from "#ui/panel.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

/** Who is signed in to this LiveRL, whatever the project. */
export function BrowsersPanel() {
  const trpc = useTRPC();
  const query = useQuery(trpc.browser.list.queryOptions());
  const browsers = query.data?.browsers;
  return (
    <Panel title="Signed-in browsers" note={browsers?.length} right={<SignOut />}>
      {browsers ? (
        <ul className={styles.rows} aria-label="Signed-in browsers">
          {browsers.map((browser) => (
            <Browser key={browser.id} browser={browser} />
          ))}
        </ul>
      ) : query.isError ? (
        <ErrorState
          what="The browsers could not be read"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <SkeletonRows rows={1} />
      )}
    </Panel>
  );
}

function SignOut() {
  const trpc = useTRPC();
  const onSuccess = () => window.location.assign("/start");
  const one = useMutation(trpc.browser.signOut.mutationOptions({ onSuccess }));
  const all = useMutation(trpc.browser.revokeAll.mutationOptions({ onSuccess }));
  const error = one.error ?? all.error;
  return (
    <span className="row">
      {error && <span className="bad-t">{describeError(error).message}</span>}
      <Button loading={one.isPending} onClick={() => one.mutate()}>
        Sign out
      </Button>
      <Button loading={all.isPending} onClick={() => all.mutate()}>
        Sign out everywhere
      </Button>
    </span>
  );
}

function Browser({ browser }: { browser: SignedInBrowser }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const revoke = useMutation(
    trpc.browser.revoke.mutationOptions({
      onSuccess: () => queries.invalidateQueries(trpc.browser.list.queryFilter()),
    }),
  );
  const { id, userAgent, createdAt, lastUsedAt, isThis } = browser;
  return (
    <li className={styles.access}>
      <span className={styles.what}>
        <b>{nameOf(userAgent)}</b>
        <span className="i3">
          signed in <Ago at={createdAt} />
          {isThis
            ? " · this one"
            : lastUsedAt !== null && (
                <>
                  {" · last seen "}
                  <Ago at={lastUsedAt} />
                </>
              )}
        </span>
      </span>
      {revoke.isError && <span className="bad-t">{describeError(revoke.error).message}</span>}
      {!isThis && (
        <Button
          size="compact-sm"
          loading={revoke.isPending}
          onClick={() => revoke.mutate({ id })}
          aria-label={`Sign out ${nameOf(userAgent)}`}
        >
          Sign out
        </Button>
      )}
    </li>
  );
}

/** Browser and system of a User-Agent header, the parts that people tell browsers apart by. */
function nameOf(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\/(\d+)/.exec(userAgent);
  const system = /\((?:X11; )?(Windows|Macintosh|Linux|iPhone|iPad|Android|CrOS)/.exec(userAgent);
  if (!browser) return userAgent.slice(0, 60) || "A program";
  const name = browser[1] === "Edg" ? "Edge" : browser[1] === "OPR" ? "Opera" : browser[1];
  return `${name} ${browser[2]}${system ? ` on ${system[1]}` : ""}`;
}
