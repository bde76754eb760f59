import { isOutOfTraining, type RolloutTraining } from "@liverl/contract/rollout-training";
import { groupAdvantage, groupOutcome } from "#groups/group-outcome.ts";
import { whyFiltered } from "#rollouts/why-filtered.ts";
import type { TrainingRules } from "#updates/training-rules.ts";

/** What decides of a rollout's training, among the columns of the index. */
export interface Member {
  rolloutId: string;
  groupId: string;
  mode: string;
  status: string;
  reward: number | null;
  termination: string | null;
  integrityKinds: readonly string[];
  versionMin: number | null;
  tokensSampled: number;
  askedStep: number | null;
  queuedAt: Date;
}

export interface Take {
  step: number;
  lost: boolean;
}

/** A life of the trainer, in order. */
export interface Life {
  /** When it began to boot; what was queued from then on is its own. */
  since: Date;
  /** Newest version and step at which it took a rollout; null where it took none. */
  version: number | null;
  step: number | null;
}

interface Known {
  rules: TrainingRules;
  /** Of whole groups. */
  members: readonly Member[];
  takes: ReadonlyMap<string, Take>;
  lives: readonly Life[];
  /** Something of the run's updates is known. */
  hasRecords: boolean;
}

const OPEN = new Set(["queued", "running"]);

/** What training made of rollouts, told from their whole groups and the trainer's records. Pure. */
export class Account {
  readonly #known: Known;
  readonly #groups = new Map<string, Member[]>();

  constructor(known: Known) {
    this.#known = known;
    for (const member of known.members) {
      const group = this.#groups.get(member.groupId);
      if (group) group.push(member);
      else this.#groups.set(member.groupId, [member]);
    }
  }

  trainingOf(row: Member): RolloutTraining {
    const { rules, takes, hasRecords } = this.#known;
    const of = (state: RolloutTraining["state"], step: number | null = null) => ({
      ...{ state, step, reason: null },
    });
    if (row.mode !== "train") return of("never");
    if (OPEN.has(row.status)) return of("waiting");
    if (row.reward === null) return of("no-reward");
    const filtered = whyFiltered(row, rules.dropped);
    if (filtered !== null) return { ...of("filtered"), reason: filtered };
    if (row.tokensSampled === 0) return of("no-tokens");
    if (!rules.tells) return of("unknown");
    if (!hasRecords) return of(rules.isOver ? "unknown" : "waiting");
    const take = takes.get(row.rolloutId);
    if (take?.lost) return of("lost", take.step);
    if (!take) return of(this.#whyNotTaken(row));
    if (rules.comparesGroup && this.#kept(row.groupId).length < 2) return of("alone", take.step);
    const isFlat = this.isFlat(row.groupId) && !rules.hasOtherTerms;
    return of(isFlat ? "no-advantage" : "trained", take.step);
  }

  /** The advantage by the group's rewards; null where the estimator does not make it of these alone. */
  advantageOf(row: Member): number | null {
    const { rules } = this.#known;
    // An evaluation's rollouts are not compared with each other.
    if (row.mode !== "train" || row.reward === null || !rules.isGrpo) return null;
    if (isOutOfTraining(this.trainingOf(row))) return null;
    const kept = this.#kept(row.groupId);
    if (kept.length < 2) return null;
    return groupAdvantage(row.reward, groupOutcome(kept), rules.dividesByStd);
  }

  /** Whether the rewards that train are equal, and that leaves the group without an advantage. */
  isFlat(groupId: string): boolean {
    const kept = this.#kept(groupId);
    return this.#known.rules.comparesGroup && kept.length > 0 && groupOutcome(kept).std === 0;
  }

  /** Rewards of a group as far as they train. */
  #kept(groupId: string): number[] {
    const { dropped } = this.#known.rules;
    return (this.#groups.get(groupId) ?? []).flatMap((row) =>
      row.reward === null || whyFiltered(row, dropped) !== null ? [] : row.reward,
    );
  }

  #whyNotTaken(row: Member): "stale" | "lost" | "left" | "waiting" {
    const { rules, lives } = this.#known;
    const at = lives.findLastIndex(({ since }) => since <= row.queuedAt);
    const life = lives[at];
    const isLast = at === lives.length - 1;
    if (!rules.asksAhead) {
      // In turns, the step's update comes next, in this life or, under the same ids, in the one after it.
      const isPast = (lives.at(-1)?.step ?? 0) >= (row.askedStep ?? 0);
      return rules.isOver || isPast ? "left" : "waiting";
    }
    const oldest = Math.min(
      ...(this.#groups.get(row.groupId) ?? [row]).flatMap(({ versionMin }) => versionMin ?? []),
    );
    if (life && life.version !== null && life.version - oldest > rules.maxStaleness) return "stale";
    if (!isLast) return "lost";
    return rules.isOver ? "left" : "waiting";
  }
}
