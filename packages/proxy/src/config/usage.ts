import { variableOf } from "#config/load-settings.ts";
import { ALLOWED } from "#config/proxy-settings.ts";

/** The text of `--help`. */
export function usage(): string {
  const settings = Object.entries(ALLOWED).map(
    ([name, allowed]) => `  ${name} (${variableOf(name)})\n      ${allowed}\n`,
  );
  return `Usage: liverl-proxy [--config FILE]

The LLM proxy on its own. FILE is YAML; a variable of the environment wins over it.
Variables that are neither text nor numbers are JSON.

  --config FILE     settings as YAML
  --data-dir DIR    run as a trial runner hosts it: DIR on loopback, no other setting
  --help            this text

Settings:
${settings.join("")}`;
}
