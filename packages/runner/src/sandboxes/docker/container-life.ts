import type { ContainerInspectInfo } from "dockerode";
import { TrialError } from "#trials/trial-error.ts";

/** What tells one life of a container from another, and the network that it was given from a later one. */
export interface ContainerLife {
  startedAt: string;
  /** Its place in each of its networks: one that is taken away and given back is another. */
  endpoints: string;
}

type Found = {
  State: Pick<ContainerInspectInfo["State"], "Running" | "OOMKilled" | "StartedAt">;
  NetworkSettings: { Networks: Readonly<Record<string, { EndpointID: string }>> };
};

/** Pure. */
export function lifeOf({ State, NetworkSettings }: Found): ContainerLife {
  const ids = Object.entries(NetworkSettings.Networks).map(([name, one]) => [name, one.EndpointID]);
  return { startedAt: State.StartedAt, endpoints: JSON.stringify(ids.sort()) };
}

/**
 * What happened to a container from outside, or by its memory, since it was `known`: what ran in it did not fail by
 * itself. Null where it was let alone. `found`: null where it is gone; `known`: null where nobody looked. Pure.
 */
export function lifeFault(
  name: string,
  known: ContainerLife | null,
  found: Found | null,
): TrialError | null {
  if (found === null) return lost(`The sandbox ${name} was removed from outside.`);
  if (!found.State.Running)
    return found.State.OOMKilled
      ? new TrialError("SandboxOutOfMemoryError", "The sandbox ran out of memory and has ended.")
      : lost(`The sandbox ${name} has ended: something stopped it, or its Docker daemon.`);
  if (known === null) return null;
  const now = lifeOf(found);
  if (now.startedAt !== known.startedAt)
    return lost(`The sandbox ${name} was stopped and started again from outside.`);
  if (now.endpoints === known.endpoints) return null;
  return new TrialError(
    "SandboxNetworkLostError",
    `The network of the sandbox ${name} was taken away or changed from outside.`,
  );
}

const lost = (message: string) => new TrialError("SandboxLostError", message);
