import type { ApiClient } from "#client/api-client.ts";
import type { Io, Result } from "#output/io.ts";

/** What a command works with. */
export interface Cli {
  api: ApiClient;
  io: Io;
  /** Fires when somebody asks to stop. */
  signal: AbortSignal;
}

/** Makes commander's action of what a command does: it gets the command's arguments and its own flags. */
export type Act = <Given extends unknown[]>(
  work: (cli: Cli, ...given: Given) => Promise<Result>,
) => (...given: unknown[]) => Promise<void>;
