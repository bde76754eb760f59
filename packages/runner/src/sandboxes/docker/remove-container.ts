import type { Container } from "dockerode";
import { statusOf } from "#sandboxes/docker/docker-error.ts";

/** Removes a container with whatever runs in it; one that is gone is fine. */
export async function removeContainer(container: Container): Promise<void> {
  await container.remove({ force: true, v: true }).catch((error: unknown) => {
    // 409: a removal is under way.
    if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
  });
}
