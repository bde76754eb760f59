// What the daemon itself says, and the bare loop that a trial is measured against.
import Docker from "dockerode";

const docker = new Docker();

/** Containers of a data directory, whatever state they are in. */
export async function containersOf(instance) {
  return await docker.listContainers({
    all: true,
    filters: { label: [`liverl.dev/instance=${instance}`] },
  });
}

async function runBare(image, networkMode) {
  const container = await docker.createContainer({
    Image: image,
    Cmd: ["sleep", "60"],
    HostConfig: { Init: true, NetworkMode: networkMode },
  });
  await container.start();
  return container;
}

async function endBare(container) {
  await container.kill();
  await container.remove({ force: true });
}

/**
 * Milliseconds of each of `count` rounds of create, start, kill and remove, `width` at once; `network`: Docker's name of
 * it. `watched`: a second container shares that network meanwhile, which is what seeing it from beside takes.
 */
export async function bareLoop({ count, width, image, network = "none", watched = false }) {
  const times = [];
  let left = count;
  const work = async () => {
    while (left-- > 0) {
      const began = performance.now();
      const container = await runBare(image, network);
      const beside = watched ? await runBare(image, `container:${container.id}`) : null;
      await Promise.all([endBare(container), beside && endBare(beside)]);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return times;
}

/** What a command writes in a container of its own with Docker's usual network. */
export async function outputOf(image, command) {
  const container = await docker.createContainer({ Image: image, Cmd: command, Tty: true });
  try {
    await container.start();
    await container.wait();
    return (await container.logs({ stdout: true, stderr: true })).toString("utf8");
  } finally {
    await container.remove({ force: true });
  }
}
