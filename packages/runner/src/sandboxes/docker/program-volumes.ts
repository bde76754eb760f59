import type Docker from "dockerode";
import { statusOf } from "#sandboxes/docker/docker-error.ts";
import { packFolder, packMark } from "#sandboxes/pack-folder.ts";
import type { BakedPrograms } from "#sandboxes/sandbox.ts";
import { LABEL } from "#sandboxes/sandbox-labels.ts";

const COMPLETE = ".complete";

/**
 * Volumes of the daemon, one for each content, filled through its API: a daemon of another host has no folder of this
 * one. They stay, for any runner that needs the same.
 */
export class ProgramVolumes {
  readonly #docker: Docker;
  readonly #coming = new Map<string, Promise<string>>();

  constructor(docker: Docker) {
    this.#docker = docker;
  }

  /** Name of the volume, which is whole when this resolves. `image` is any that the daemon has. Throws raw. */
  ensure(programs: BakedPrograms, image: string): Promise<string> {
    const coming =
      this.#coming.get(programs.digest) ??
      this.#fill(programs, image).catch((error: unknown) => {
        this.#coming.delete(programs.digest);
        throw error;
      });
    this.#coming.set(programs.digest, coming);
    return coming;
  }

  /** The next asks the daemon again: somebody may have removed one. */
  forget(): void {
    this.#coming.clear();
  }

  async #fill({ digest, folder, at }: BakedPrograms, image: string): Promise<string> {
    const name = `liverl-programs-${digest}`;
    // Never started: files go through it into the volume.
    const container = await this.#docker.createContainer({
      Image: image,
      Entrypoint: ["true"],
      Labels: { [LABEL.managedBy]: "liverl", [LABEL.expiresAt]: expiry() },
      HostConfig: { Binds: [`${name}:${at}:nocopy`], NetworkMode: "none" },
    });
    try {
      const complete = `${at}/${COMPLETE}`;
      if (await isThere(container, complete)) return name;
      await container.putArchive(packFolder(folder, at), { path: "/" });
      await container.putArchive(packMark(complete), { path: "/" });
      return name;
    } finally {
      await container.remove({ force: true });
    }
  }
}

const FILL_S = 1_800;
const expiry = () => String(Math.ceil(Date.now() / 1_000) + FILL_S);

async function isThere(container: Docker.Container, path: string): Promise<boolean> {
  try {
    await container.infoArchive({ path });
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}
