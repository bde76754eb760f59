import { createWriteStream } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { ImageWork } from "@liverl/contract/sandbox";
import type Docker from "dockerode";
import { z } from "zod";
import { isAway, statusOf, toDockerError } from "#sandboxes/docker/docker-error.ts";
import { ImageProgress } from "#sandboxes/docker/image-progress.ts";
import { Gate } from "#sandboxes/gate.ts";
import type { SandboxSpec, StartStage } from "#sandboxes/sandbox.ts";
import { taskImageTag } from "#sandboxes/task-image-tag.ts";
import { withinTime } from "#sandboxes/within-time.ts";
import { TrialError } from "#trials/trial-error.ts";

const BUILDS_AT_ONCE = 2;
const MAX_TOLD_LINES = 20;
/** For a question about an image; a daemon under load needs seconds. */
const LOOK_MS = 60_000;
const REPOSITORY = "liverl-task";

const Progress = z.looseObject({
  stream: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
});

/** The images of tasks: each is pulled or built once, whoever asks for it meanwhile waits for the same. */
export class ImageStore {
  readonly #docker: Docker;
  readonly #logFolder: string;
  readonly #coming = new Map<string, Promise<void>>();
  readonly #underWay = new Map<string, ImageProgress>();
  readonly #gate = new Gate(BUILDS_AT_ONCE);

  /** `logFolder` gets `<image>.log` of each build. */
  constructor(docker: Docker, logFolder: string) {
    this.#docker = docker;
    this.#logFolder = logFolder;
  }

  /**
   * Name of the image, which is there when this resolves. Throws {@link TrialError} `SandboxBuildFailedError` with the
   * end of the build's output, or `EnvironmentStartTimeoutError`.
   */
  async ensure(
    { image, buildTimeoutS }: Pick<SandboxSpec, "image" | "buildTimeoutS">,
    signal: AbortSignal,
    onStage: (stage: StartStage) => void = () => undefined,
  ): Promise<string> {
    const name =
      image.kind === "pull" ? image.name : `${REPOSITORY}:${await taskImageTag(image.folder)}`;
    if (await this.#isHere(name)) return name;
    const late = () =>
      new TrialError(
        "EnvironmentStartTimeoutError",
        `The image ${name} was not ready after ${buildTimeoutS} seconds.`,
      );
    const timeoutMs = buildTimeoutS === null ? null : buildTimeoutS * 1_000;
    onStage({
      state: image.kind === "pull" ? "pulling" : "building",
      deadline: timeoutMs === null ? null : new Date(Date.now() + timeoutMs),
    });
    // The bringing has the same limit of its own: one asker that goes away does not stop it for the others.
    const bring = () =>
      withinTime({ timeoutMs, signal: new AbortController().signal, late }, (own) => {
        const progress = new ImageProgress(name, image.kind === "pull" ? "pulling" : "building");
        this.#underWay.set(name, progress);
        return image.kind === "pull"
          ? this.#pull(name, progress, own)
          : this.#build(name, { folder: image.folder, progress }, own);
      });
    await withinTime({ timeoutMs, signal, late }, () => this.#once(name, bring));
    return name;
  }

  /** What is brought now, and what waits for that. */
  underWay(): ImageWork[] {
    return [...this.#underWay.values()].map((progress) => progress.view());
  }

  #once(name: string, bring: () => Promise<void>): Promise<void> {
    const known = this.#coming.get(name);
    if (known !== undefined) return known;
    this.#underWay.set(name, new ImageProgress(name, "waiting"));
    const coming = this.#gate
      .run(async () => {
        if (!(await this.#isHere(name))) await bring();
      })
      .finally(() => {
        this.#coming.delete(name);
        this.#underWay.delete(name);
      });
    this.#coming.set(name, coming);
    return coming;
  }

  async #isHere(name: string): Promise<boolean> {
    const late = () =>
      new TrialError(
        "SandboxUnavailableError",
        `The Docker daemon did not answer in ${LOOK_MS / 1_000} s: restart it.`,
      );
    try {
      await withinTime({ timeoutMs: LOOK_MS, signal: new AbortController().signal, late }, () =>
        this.#docker.getImage(name).inspect(),
      );
      return true;
    } catch (error) {
      if (statusOf(error) === 404) return false;
      throw toDockerError(error, `look for the image ${name}`);
    }
  }

  async #pull(name: string, progress: ImageProgress, signal: AbortSignal): Promise<void> {
    try {
      // Without a tag the daemon would pull every one.
      const reference = /[:@]/.test(name.slice(name.lastIndexOf("/") + 1))
        ? name
        : `${name}:latest`;
      const stream = await this.#docker.pull(reference, { abortSignal: signal });
      await this.#follow(stream, (text) => progress.take(text));
    } catch (error) {
      throw this.#failed(error, `The image ${name} is not here and can not be pulled`);
    }
  }

  async #build(
    name: string,
    { folder, progress }: { folder: string; progress: ImageProgress },
    signal: AbortSignal,
  ): Promise<void> {
    await mkdir(this.#logFolder, { recursive: true });
    const logPath = join(this.#logFolder, `${name.replace(":", "-")}.log`);
    const log = createWriteStream(logPath);
    const lines: string[] = [];
    try {
      const stream = await this.#docker.buildImage(
        { context: folder, src: await readdir(folder) },
        {
          t: name,
          labels: { "app.kubernetes.io/managed-by": "liverl" },
          forcerm: true,
          abortSignal: signal,
        },
      );
      await this.#follow(stream, (text) => {
        log.write(text);
        progress.take(text);
        lines.push(...text.split("\n").filter(Boolean));
        if (lines.length > MAX_TOLD_LINES) lines.splice(0, lines.length - MAX_TOLD_LINES);
      });
    } catch (error) {
      const end = lines.length > 0 ? `\n${lines.join("\n")}\nThe whole output: ${logPath}` : "";
      throw this.#failed(error, `The image of ${folder} can not be built`, end);
    } finally {
      log.end();
    }
  }

  async #follow(stream: NodeJS.ReadableStream, tell: (text: string) => void): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      let failure: string | null = null;
      this.#docker.modem.followProgress(
        stream,
        (error) => {
          if (error) reject(error);
          else if (failure !== null) reject(new Error(failure));
          else resolve();
        },
        (event: unknown) => {
          const { stream: output, status, error } = Progress.catch({}).parse(event);
          if (error !== undefined) failure = error;
          const text = output ?? (status === undefined ? "" : `${status}\n`);
          if (text) tell(text);
        },
      );
    });
  }

  #failed(error: unknown, what: string, end = ""): Error {
    if (isAway(error) || error instanceof TrialError) return toDockerError(error, "make an image");
    const message = error instanceof Error ? error.message : String(error);
    return new TrialError("SandboxBuildFailedError", `${what}: ${message.trim()}${end}`, error);
  }
}
