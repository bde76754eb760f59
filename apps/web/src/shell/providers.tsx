"use client";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useEffect, useState } from "react";
import { LiveRuns } from "#shell/live-runs.tsx";
import { cssVariablesResolver, theme } from "#theme/theme.ts";
import { buildClient, buildIdleClient } from "#trpc/build-client.ts";
import { TRPCProvider } from "#trpc/client.tsx";
import { buildQueryClient } from "#trpc/query-client.ts";

type Clients = {
  queryClient: ReturnType<typeof buildQueryClient>;
  trpcClient: ReturnType<typeof buildClient>;
};
let inBrowser: Clients | null = null;

/**
 * One pair for the life of the page: React throws the state of a first render away that it has to begin again, and every
 * client opens a socket.
 */
function clients(): Clients {
  if (typeof window === "undefined")
    return { queryClient: buildQueryClient(), trpcClient: buildIdleClient() };
  inBrowser ??= {
    queryClient: buildQueryClient(),
    trpcClient: buildClient(window.location.origin),
  };
  return inBrowser;
}

/** Everything that a page stands on. */
export function Providers({ children }: { children: ReactNode }) {
  const [{ queryClient, trpcClient }] = useState(clients);
  // Else it comes with the first figure that is set in it, and all panels are laid out a second time.
  useEffect(() => void document.fonts.load("1em 'Geist Mono Variable'"), []);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme="auto"
    >
      <NuqsAdapter>
        <QueryClientProvider client={queryClient}>
          <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
            <Notifications position="bottom-right" limit={3} />
            <LiveRuns />
            {children}
          </TRPCProvider>
        </QueryClientProvider>
      </NuqsAdapter>
    </MantineProvider>
  );
}
