"use client";
import { Button } from "@mantine/core";
import { describeError } from "#ui/describe-error.ts";
import { Icon } from "#ui/icon.tsx";

/** What failed, one action, and the request id when there is one. */
export function ErrorState({
  what,
  error,
  onRetry,
  stillWorks,
}: {
  /** What could not be done: "The runs could not be read". */
  what: string;
  error: unknown;
  onRetry?: () => void;
  stillWorks?: string;
}) {
  const { message, requestId, signIn } = describeError(error);
  return (
    <div className="empty" role="alert">
      <span className="note bad">{what}</span>
      <span className="empty-why">{message}</span>
      {stillWorks !== undefined && <span>{stillWorks}</span>}
      <span className="row">
        {onRetry !== undefined && !signIn && (
          <Button size="xs" leftSection={<Icon name="retry" size={13} />} onClick={onRetry}>
            Retry
          </Button>
        )}
        {requestId !== null && <span className="m i3">request {requestId}</span>}
      </span>
    </div>
  );
}
