import { Alert } from "@mantine/core";

interface Health {
  disk: { fault: "full" | "read-only"; text: string } | null;
  dataPlane: { reason: string | null };
}

/** What stops this LiveRL as a whole, above every page until it is over. */
export function SystemBanner({ system }: { system: Health | undefined }) {
  if (system?.disk)
    return (
      <Alert
        color="red"
        radius={0}
        role="alert"
        title={system.disk.fault === "full" ? "The disk is full" : "The disk is read-only"}
      >
        {system.disk.text}
      </Alert>
    );
  if (system?.dataPlane.reason)
    return (
      <Alert color="red" radius={0} role="alert" title="The trial runner does not start">
        {system.dataPlane.reason}
      </Alert>
    );
  return null;
}
