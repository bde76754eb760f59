import { digestTask } from "#tasks/task-digest.ts";

const TAG_LENGTH = 32;

/** The tag of an image that is built from this `environment/` folder: the same content has the same. */
export const taskImageTag = async (folder: string): Promise<string> =>
  (await digestTask(folder)).slice(0, TAG_LENGTH);
