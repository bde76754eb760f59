import type { ContainerInspectInfo } from "dockerode";
import { TrialError } from "#trials/trial-error.ts";

/** What tells one life of a container from another, and the network that it was given from a later one. */
export interface ContainerLife {
  startedAt: string;
  /** Its place in each of its networks: one that is taken away and given back is another. */
  endpoints: string;
}

type Found = {
  State: Pick<ContainerInspectInfo["State"], "Running" | "OOMKilled" | "StartedAt"> & {
    ExitCode?: number;
  };
  NetworkSettings: { Networks: Readonly<Record<string, { EndpointID: string }>> };
};

/** Pure. */
export function lifeOf({ State, NetworkSettings }: Found): ContainerLife {
  const ids = Object.entries(NetworkSettings.Networks).map(([name, one]) => [name, one.EndpointID]);
  return { startedAt: State.StartedAt, endpoints: JSON.stringify(ids.sort()) };
}

/**
 * What happened to a container since it was `known`: what ran in it then did not fail by itself. Null where it was let
 * alone. `found`: null where it is gone; `known`: null where nobody looked; `endedByItself`: of one that runs no more,
 * whether that is known. Pure.
 */
export function lifeFault(
  name: string,
  known: ContainerLife | null,
  found: Found | null,
  endedByItself: boolean,
): TrialError | null {
  if (found === null) return lost(`The sandbox ${name} was removed from outside.`);
  const isAnother = known !== null && found.State.StartedAt !== known.startedAt;
  if (isAnother) return lost(`The sandbox ${name} was stopped and started again from outside.`);
  if (!found.State.Running) return endOf(name, found, endedByItself);
  if (known === null || lifeOf(found).endpoints === known.endpoints) return null;
  return new TrialError(
    "SandboxNetworkLostError",
    `The network of the sandbox ${name} was taken away or changed from outside.`,
  );
}

function endOf(name: string, { State }: Found, endedByItself: boolean): TrialError {
  if (!endedByItself)
    return lost(`The sandbox ${name} has ended: something stopped it, or its Docker daemon.`);
  if (State.OOMKilled)
    return new TrialError(
      "SandboxOutOfMemoryError",
      "The sandbox ran out of memory and has ended.",
    );
  return new TrialError(
    "SandboxEndedError",
    `The sandbox ${name} was ended by a process in it: its first process ended with ${State.ExitCode}, and nobody outside has asked Docker for that.`,
  );
}

const lost = (message: string) => new TrialError("SandboxLostError", message);
