import type { RunDiagnosis } from "@liverl/contract/run";
import { ACCESS_CAUSES } from "#diagnosis/access-causes.ts";
import type { CauseRule, Incident } from "#diagnosis/cause-rule.ts";
import { CLUSTER_CAUSES } from "#diagnosis/cluster-causes.ts";
import { CONFIG_CAUSES } from "#diagnosis/config-causes.ts";
import type { ErrorIndex } from "#diagnosis/error-index.ts";
import { MEMORY_CAUSES } from "#diagnosis/memory-causes.ts";
import { CONSEQUENCES, LAST_RESORT, NOTICES } from "#diagnosis/notices.ts";
import { ROLLOUT_CAUSES } from "#diagnosis/rollout-causes.ts";

interface Root {
  incident: Incident;
  rule: Named["rule"] | null;
  groups: RegExpExecArray | null;
}

/** The narrow ones first: of two rules that recognise one error, the first names it. */
export const CAUSES: readonly CauseRule[] = [
  ...CONFIG_CAUSES,
  ...ACCESS_CAUSES,
  ...MEMORY_CAUSES,
  ...CLUSTER_CAUSES,
  ...ROLLOUT_CAUSES,
];
const LONGEST_ERROR = 300;
/** Processes in which an error ends one rollout, not the run. */
const AGENTS = /^(?:AgentLoop|RolloutWorker|Reward|Tool)/;

interface Named {
  incident: Incident;
  rule: Pick<CauseRule, "id" | "cause" | "fix" | "field"> & { weight: string };
  groups: RegExpExecArray | null;
}

/** The cause of the end of a log; null where it holds no error. Pure. */
export function chooseCause(found: ErrorIndex["found"]): RunDiagnosis | null {
  const streaming = found.lasting[0];
  if (streaming) return present(name(streaming), "high", streaming);
  const anchor = anchorOf(found);
  const root = anchor && rootOf(anchor);
  const hard = firstHard(found.after, anchor);
  if (root && !consequenceOf(root.incident)) return causeOfEnd(found, root, hard);
  const end = root?.incident ?? null;
  return causeBeforeEnd(found, end, hard) ?? consequencesOnly(found, end);
}

/** The main process ended of an error of its own, or of a remote call that names its error. */
function causeOfEnd({ after }: ErrorIndex["found"], root: Root, hard: Named | null): RunDiagnosis {
  const first = firstOf(after, root.incident);
  if (hard && hard.incident.offset < first.offset && overrides(hard, root))
    return present(hard, root.rule === null ? "medium" : "high", hard.incident);
  return root.rule === null
    ? unknown(root.incident, first)
    : present({ ...root, rule: root.rule }, "high", first);
}

/** The main process says only that another one ended, or says nothing. */
function causeBeforeEnd(
  { after, before }: ErrorIndex["found"],
  end: Incident | null,
  hard: Named | null,
): RunDiagnosis | null {
  const primary = firstPrimary(after, end) ?? lateStep(before);
  const isEndedByHand = /^(?:SystemExit|KeyboardInterrupt)$/.test(end?.exception ?? "");
  if (primary && "rule" in primary && !explains(hard, primary))
    if (primary.rule.weight === "hard" || !isEndedByHand)
      return present(primary, "medium", primary.incident);
  if (hard) return present(hard, "high", hard.incident);
  if (primary && "unknown" in primary && !isEndedByHand)
    return unknown(primary.unknown, primary.unknown);
  const soft = after.find(({ notice }) => notice?.weight === "soft");
  return soft ? present(name(soft), "medium", soft) : null;
}

/** Whether a line of the system says better why a run ended than an error that may have been caught. */
const explains = (hard: Named | null, { incident, rule }: Named) =>
  hard !== null &&
  (hard.incident.offset < incident.offset || rule.weight !== "hard" || !isOfTrainer(incident));

/** The exception that ended the main process. */
function anchorOf({ after, endedAt }: ErrorIndex["found"]): Incident | null {
  const mine = after.filter(({ stream, exception }) => stream === "" && exception !== null);
  // What follows the first chain behind it are handlers that run while Python shuts down.
  const ending = endedAt === null ? [] : mine.filter(({ offset }) => offset > endedAt);
  let [last] = ending;
  for (const next of ending) if (last && next.earlier?.incident === last) last = next;
  if (last) return last;
  const ours = mine.filter(({ isOurs }) => isOurs !== false);
  return ours.findLast(rootIsPrimary) ?? ours.at(-1) ?? null;
}

/** Goes back along a chain of exceptions to the one that says why. */
function rootOf(last: Incident): Root {
  let best = recognised(last);
  let first = last;
  for (let { earlier } = last, depth = 0; earlier && depth < 20; depth += 1) {
    const { incident, isDirect } = earlier;
    const named = recognised(incident);
    const isBetter =
      named.rule !== null &&
      (isDirect ||
        named.rule.weight === "hard" ||
        (best.rule === null && consequenceOf(best.incident) !== null)) &&
      !(named.rule.weight === "soft" && best.rule !== null && best.rule.weight === "hard");
    if (isBetter) best = named;
    if (isDirect && best.rule === null) first = incident;
    earlier = incident.earlier;
  }
  return best.rule === null && !consequenceOf(first) ? recognised(first) : best;
}

function recognised(incident: Incident) {
  const none = { incident, rule: null, groups: null };
  if (incident.notice) return none;
  const text =
    incident.exception === null ? incident.message : `${incident.exception}: ${incident.message}`;
  for (const rule of CAUSES) {
    if (rule.exception && !rule.exception.test(incident.exception ?? "")) continue;
    const groups = rule.pattern.exec(text);
    if (!groups) continue;
    if (
      rule.from &&
      !rule.from.test(incident.exception ?? text) &&
      !rule.from.test(incident.frames)
    )
      continue;
    return { incident, rule: { ...rule, weight: rule.weight ?? "hard" }, groups };
  }
  return none;
}

function name(incident: Incident): Named {
  const rule = incident.notice ?? NOTICES[0];
  if (!rule) throw new Error("there are no notices");
  return { incident, rule, groups: rule.pattern.exec(incident.message) };
}

function consequenceOf({ exception, message, notice }: Incident): string | "none" | null {
  if (notice) return notice.weight === "consequence" ? notice.id : null;
  const [said = ""] = message.split("\n");
  const text = exception === null ? said : `${exception}: ${said}`;
  const found = CONSEQUENCES.find(({ pattern }) => pattern.test(text));
  return found ? (found.as ?? "none") : null;
}

/** The first line of the system that ends what it hits. */
function firstHard(after: readonly Incident[], anchor: Incident | null): Named | null {
  const found = after.find(
    ({ notice, offset }) =>
      notice?.weight === "hard" && (anchor === null || offset < anchor.offset),
  );
  return found ? name(found) : null;
}

/** Whether a line of the system before it explains an error better than its own words. */
function overrides(hard: Named, root: Root): boolean {
  if (root.rule === null || hard.rule.id.startsWith("slurm-")) return true;
  return hard.rule.id === "gpu-broken" && /CUDA|NCCL|cuda/.test(root.incident.message);
}

/** The same error where it was printed first: in the log of the process that raised it. */
function firstOf(after: readonly Incident[], root: Incident): Incident {
  const same = (incident: Incident) =>
    incident.exception !== null &&
    incident.exception.split(".").at(-1) === root.exception?.split(".").at(-1) &&
    incident.message.slice(0, 120) === root.message.slice(0, 120);
  return after.find(same) ?? root;
}

/**
 * The first error that is no consequence: of the process that the end names, else of any process of ours, else one
 * that was printed without its frames.
 */
function firstPrimary(
  after: readonly Incident[],
  anchor: Incident | null,
): Named | { unknown: Incident } | null {
  const pid = anchor === null ? undefined : /\bpid: (\d+)/.exec(anchor.message)?.[1];
  const primary = after.filter(
    (incident) => incident !== anchor && incident.notice === null && rootIsPrimary(incident),
  );
  const raised = primary.filter(({ exception }) => exception !== null);
  const groups = [
    pid === undefined ? [] : raised.filter(({ stream }) => `${stream},`.includes(`pid=${pid},`)),
    raised.filter(({ isOurs, stream }) => isOurs === true && !AGENTS.test(stream)),
    raised.filter(({ isOurs, stream }) => isOurs === null && !AGENTS.test(stream)),
    raised.filter(({ isOurs }) => isOurs === true),
  ];
  for (const group of groups) {
    const [first] = group;
    if (!first) continue;
    const root = rootOf(first);
    if (root.rule !== null) return { ...root, rule: root.rule };
    // An error that nobody knows may be a detail of the known one behind it only in the same process.
    const next = group.find(
      (other) => other.stream === first.stream && recognised(other).rule !== null,
    );
    return next ? (recognised(next) as Named) : { unknown: root.incident };
  }
  const logged = primary
    .filter(({ exception }) => exception === null)
    .map(recognised)
    .find(({ rule }) => rule !== null);
  return logged ? (logged as Named) : null;
}

const isOfTrainer = ({ isOurs, stream }: Incident) => isOurs === true && !AGENTS.test(stream);
const rootIsPrimary = (incident: Incident) => consequenceOf(rootOf(incident).incident) === null;

/** Ray's log of another process may come after the step that the trainer printed meanwhile. */
function lateStep(before: readonly Incident[]): Named | null {
  for (const incident of before) {
    if (incident.notice?.weight === "hard") return name(incident);
    if (incident.isOurs !== true || incident.notice) continue;
    const root = rootOf(incident);
    if (root.rule?.weight === "hard") return { ...root, rule: root.rule };
  }
  return null;
}

function consequencesOnly(
  found: ErrorIndex["found"],
  anchor: Incident | null,
): RunDiagnosis | null {
  const { after, lastErrorLine } = found;
  const known = after
    .map((incident) => ({ incident, id: consequenceOf(incident) }))
    .filter(({ id }) => id !== null && id !== "none");
  // What says most: a timeout before the deaths that it led to.
  const order = [
    "nccl-timeout",
    "nccl",
    "device-assert",
    "killed",
    "engine-died",
    "actor-died",
    "terminated",
    "interrupted",
  ];
  const best = order
    .map((id) => known.find((one) => one.id === id))
    .find((one) => one !== undefined);
  const words = best && (NOTICES.find(({ id }) => id === best.id) ?? LAST_RESORT[best.id ?? ""]);
  if (best?.id && words) {
    const groups = best.incident.notice?.pattern.exec(best.incident.message) ?? null;
    const rule = { ...words, id: best.id, weight: "consequence" };
    return present({ incident: best.incident, rule, groups }, "low", best.incident);
  }
  const errors = after.filter(({ exception }) => exception !== null);
  const last =
    anchor ??
    errors.findLast(({ stream }) => !AGENTS.test(stream)) ??
    errors.at(-1) ??
    (AGENTS.test(lastErrorLine?.stream ?? "") ? null : lastErrorLine);
  return last ? unknown(last, last) : null;
}

function present(
  { incident, rule, groups }: Named,
  confidence: RunDiagnosis["confidence"],
  first: Incident,
): RunDiagnosis {
  const fill = (words: string) =>
    words
      .replace(/\$(\d)/g, (_, group: string) => groups?.[Number(group)] ?? "")
      .replace(/: \.$/, ".");
  return {
    id: rule.id,
    cause: fill(rule.cause)
      .replace(/ +/g, " ")
      .replace(/[: ]{1,4}\.?$/, "."),
    fix: fill(rule.fix),
    field: rule.field ?? null,
    ...{ confidence, error: wordsOf(incident), evidence: evidenceOf(first, incident) },
  };
}

function unknown(incident: Incident, first: Incident): RunDiagnosis {
  const error = wordsOf(incident);
  return {
    ...{ id: null, cause: `Unknown cause; last error: ${error}`, fix: null, field: null },
    ...{ confidence: "low", error, evidence: evidenceOf(first, incident) },
  };
}

function wordsOf({ exception, message }: Incident): string {
  const [said = ""] = message.split("\n");
  return (exception === null ? said : said === "" ? exception : `${exception}: ${said}`).slice(
    0,
    LONGEST_ERROR,
  );
}

function evidenceOf(...incidents: Incident[]): RunDiagnosis["evidence"] {
  return [...new Set(incidents)].map((incident) => ({
    ...{ offset: incident.offset, line: incident.line, text: wordsOf(incident) },
  }));
}
