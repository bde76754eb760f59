"use client";
import { CrashPage } from "#shell/crash-page.tsx";

export default function PageError({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return <CrashPage error={error} onRetry={reset} />;
}
