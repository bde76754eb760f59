import { readFile } from "node:fs/promises";
import pino from "pino";
import { env } from "#env.ts";
import { JOIN_USAGE, type JoinConfig, parseJoinConfig } from "#joined/join-config.ts";
import { joinRunner } from "#joined/join-runner.ts";

// What it and its children write is for this user alone.
process.umask(0o077);
const log = pino({ name: "liverl-runner", level: env.LIVERL_LOG_LEVEL });

function readConfig(argv: string[]): JoinConfig | null {
  try {
    return parseJoinConfig(argv, import.meta.url);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${JOIN_USAGE}\n`);
    return null;
  }
}

const argv = process.argv.slice(2);
const wantsHelp = argv.includes("--help") || argv.includes("-h");
const config = wantsHelp ? null : readConfig(argv);
if (wantsHelp) process.stdout.write(`${JOIN_USAGE}\n`);
else if (!config) process.exitCode = 2;
else {
  try {
    await readFile(config.tokenPath);
    const { done, close } = await joinRunner(config, log);
    process.on("SIGTERM", close);
    process.on("SIGINT", close);
    log.info({ home: config.home, name: config.name, slots: config.slots }, "joined");
    await done;
  } catch (error) {
    log.fatal({ err: error }, "the runner could not go on");
    process.exitCode = 1;
  }
}
