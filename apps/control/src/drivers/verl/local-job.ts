import { mkdir } from "node:fs/promises";
import { readJson } from "@liverl/durable/atomic-file";
import { findRecorded, recoverRecord, startRecorded } from "@liverl/durable/process";
import { z } from "zod";
import type { Config } from "#config.ts";
import { processName } from "#drivers/embedded/run-files.ts";
import type { JobState, VerlJob } from "#drivers/verl/job-state.ts";
import { stopFamily, workingPid } from "#drivers/verl/process-family.ts";
import type { VerlFiles } from "#drivers/verl/verl-files.ts";
import { childEnv } from "#env.ts";

const STOP_GRACE_MS = 15_000;
const Exit = z.object({ code: z.number().int(), endedAt: z.string() });

/** What a job of this machine runs. */
export interface LocalCommand {
  /** The interpreter that has verl. */
  python: string;
  /** verl's module and overrides. */
  argv: readonly string[];
  env: Record<string, string>;
}

/** verl as a process of this machine, watched by a small one of ours that sees its end and ends what it leaves. */
export function localJob(
  config: Pick<Config, "processes">,
  {
    runId,
    attempt,
    files,
    prepare,
  }: {
    runId: string;
    attempt: number;
    files: VerlFiles;
    prepare: (progress: (detail: string) => void, signal: AbortSignal) => Promise<LocalCommand>;
  },
): VerlJob {
  const name = processName(runId, "verl");
  let command: LocalCommand | null = null;
  return {
    prepare: async (progress, signal) => {
      command = await prepare(progress, signal);
    },
    start: async () => {
      if (!command) throw new Error(`${runId} was not prepared`);
      await mkdir(files.logs, { recursive: true });
      const known = await recoverRecord(config.processes, name);
      if (known && (await workingPid(known)) !== null) return;
      // It ended before its start was noted.
      if (await readJson(files.exit(attempt), Exit)) return;
      const { python, argv, env } = command;
      await startRecorded({
        directory: config.processes,
        name,
        argv: [
          python,
          "-m",
          "liverl_verl.launch",
          "--exit-file",
          files.exit(attempt),
          "--",
          python,
          ...argv,
        ],
        env: { ...childEnv(), ...env },
        cwd: files.directory,
        logPath: files.console(attempt),
        startedBy: `control ${process.pid}`,
      });
    },
    state: async (): Promise<JobState> => {
      const record = await recoverRecord(config.processes, name);
      // Asked before the file is read: what ends between the two has written it.
      const pid = record === null ? null : await workingPid(record);
      const exit = await readJson(files.exit(attempt), Exit);
      if (exit) return { kind: "ended", code: exit.code, detail: null };
      if (pid !== null) return { kind: "running" };
      // Its watcher was killed, too, and so nobody has ended Ray's daemons.
      if (record) await stopFamily(record, STOP_GRACE_MS);
      return { kind: "ended", code: null, detail: "its process was killed" };
    },
    stop: async () => {
      const record = await findRecorded(config.processes, name);
      if (record) await stopFamily(record, STOP_GRACE_MS);
    },
    // Its output goes to the run's folder by itself.
    followLog: async () => undefined,
  };
}
