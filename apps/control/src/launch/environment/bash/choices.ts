/** A place where the script goes one way or another, and only who runs it knows which. */
export interface Decision {
  /** `line:column` of the condition. */
  id: string;
  at: number;
  condition: string;
  options: readonly string[];
  taken: number;
  /** The user said so. */
  isChosen: boolean;
  /** Variables and arguments that would settle it. */
  names: readonly string[];
}

export interface Question {
  id: string;
  at: number;
  condition: string;
  /** The condition with its values filled in: asked twice, it is answered once. */
  question: string;
  options: readonly string[];
  assumed: number;
  names: readonly string[];
}

/** Answers of one reading, by the id of a decision. */
export class Choices {
  readonly made: Decision[] = [];
  private readonly answers = new Map<string, number>();
  private readonly byId = new Map<string, Decision>();
  /** Unknowns that an answer made known, by their source. */
  readonly known = new Map<string, string>();
  private readonly given: ReadonlyMap<string, number>;
  private readonly chosen: ReadonlySet<string>;

  constructor(given: ReadonlyMap<string, number>, chosen: ReadonlySet<string>) {
    this.given = given;
    this.chosen = chosen;
  }

  decide({ id, at, condition, question, options, assumed, names }: Question): number {
    const before = this.answers.get(question);
    if (before !== undefined) return Math.min(before, options.length - 1);
    const wanted = this.given.get(id) ?? assumed;
    const taken = Math.max(0, Math.min(wanted, options.length - 1));
    this.answers.set(question, taken);
    if (this.byId.has(id)) return taken;
    const isChosen = this.chosen.has(id);
    const decision: Decision = { id, at, condition, options, taken, isChosen, names };
    this.made.push(decision);
    this.byId.set(id, decision);
    return taken;
  }
}
