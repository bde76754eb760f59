import "@fontsource-variable/geist/wght.css";
import "@fontsource-variable/geist-mono/wght.css";
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "#ui/tokens.css";
import "#ui/app.css";
import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { Providers } from "#shell/providers.tsx";

// Rendered for each request, so that Next can put that request's CSP nonce on its own scripts.
export const dynamic = "force-dynamic";

export const metadata: Metadata = {
  description: "The control room for online reinforcement learning of coding agents.",
};
export const viewport: Viewport = { width: "device-width", initialScale: 1 };

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html lang="en" data-mantine-color-scheme="light" suppressHydrationWarning>
      <head>
        <script src="/color-scheme.js" />
      </head>
      <body>
        <Providers>{children}</Providers>
      </body>
    </html>
  );
}
