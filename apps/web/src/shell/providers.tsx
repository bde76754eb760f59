"use client";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";
import { LiveRuns } from "#shell/live-runs.tsx";
import { cssVariablesResolver, theme } from "#theme/theme.ts";
import { buildClient, buildIdleClient } from "#trpc/build-client.ts";
import { TRPCProvider } from "#trpc/client.tsx";
import { buildQueryClient } from "#trpc/query-client.ts";

/** Everything that a page stands on. */
export function Providers({ children }: { children: ReactNode }) {
  const [queryClient] = useState(buildQueryClient);
  const [trpcClient] = useState(() =>
    typeof window === "undefined" ? buildIdleClient() : buildClient(window.location.origin),
  );
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
