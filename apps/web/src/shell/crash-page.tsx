"use client";
import { ErrorState } from "#ui/error-state.tsx";

/** Drawn when a page throws while rendering. */
export function CrashPage({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <main style={{ height: "100vh", display: "grid" }}>
      <title>Broken page · LiveRL</title>
      <ErrorState
        what="This page broke while it was drawn"
        error={error}
        onRetry={onRetry}
        stillWorks="Runs go on; other pages may work."
      />
    </main>
  );
}
