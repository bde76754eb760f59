import {
  forgetRecorded,
  isAlive,
  killAll,
  listRecorded,
  stopRecorded,
} from "@liverl/durable/process";
import { CONTROL } from "#data-plane/claim-data-dir.ts";

/** Ends every recorded process that still lives, but not those named in `except`: nothing is left behind. */
export async function endLeftovers(directory: string, except: readonly string[]): Promise<void> {
  const records = (await listRecorded(directory)).filter((record) => !except.includes(record.name));
  await Promise.all(
    records.map(async (record) => {
      if (await isAlive(record)) await stopRecorded(record, { graceMs: 1_500 });
      await forgetRecorded(directory, record.name);
    }),
  );
}

/**
 * The same at once, for somebody who asked twice. The caller leaves right after; the next start forgets the records.
 * Does nothing to a data directory that another control holds.
 */
export async function killLeftovers(directory: string): Promise<void> {
  const records = await listRecorded(directory);
  if (records.find(({ name }) => name === CONTROL)?.pid !== process.pid) return;
  await killAll(records.filter(({ name }) => name !== CONTROL));
}
