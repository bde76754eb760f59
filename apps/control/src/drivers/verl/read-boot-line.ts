import type { VERL_BOOT_PHASES } from "@liverl/contract/verl-launch";

export type VerlPhase = (typeof VERL_BOOT_PHASES)[number]["id"];

/** What a line of verl's, Ray's or vLLM's log says of the start: this phase has ended. Texts of verl 0.9, Ray 2.60, vLLM 0.18 to 0.32. */
const ENDED: readonly { pattern: RegExp; phase: VerlPhase }[] = [
  { pattern: /Started a local Ray instance|Connected to Ray cluster/, phase: "ray" },
  // A worker that prints has its place on a GPU.
  { pattern: /\((?:WorkerDict|DetachActorWorker)\b[^()]{0,100}pid=\d/, phase: "placement" },
  { pattern: /contains [\d.]+[KMBT]? parameters|Model loading took/, phase: "model" },
  { pattern: /Graph capturing finished/, phase: "graphs" },
  { pattern: /LLMServerManager: \[|AgentLoopManager(?: Hybrid)?: \[/, phase: "engines" },
  { pattern: /joined LiveRL's proxy/, phase: "proxy" },
];
const STEP = /\bstep:(\d{1,10}) - /;
const TRAINS = /\b(?:actor\/|training\/global_step)/;

/** The last boot phase that a console line shows to have ended, or null. */
export function readBootLine(line: string): VerlPhase | null {
  const said = ENDED.filter(({ pattern }) => pattern.test(line)).at(-1);
  if (said) return said.phase;
  // Step 0 is a validation before the first update.
  const step = STEP.exec(line);
  const isUpdate = step !== null && Number(step[1]) > 0 && TRAINS.test(line.slice(step.index));
  return isUpdate ? "update" : null;
}
