import { type Logger, pino } from "pino";

/** Control's log. A full disk costs lines of it, never control: it is said once on stderr. */
export function openLog(path: string, level: string): Logger {
  const destination = pino.destination({ dest: path, sync: true });
  let told = false;
  destination.on("error", (error: Error) => {
    if (!told) process.stderr.write(`${path} can not be written: ${error.message}\n`);
    told = true;
  });
  return pino({ name: "control", level }, destination);
}
