export interface Symptom {
  id: string;
  /** What happened, one sentence. */
  cause: string;
  /** What to do about it. */
  fix: string;
  /** Path of the value in the spec that mends it, where one does. */
  field: string | null;
}

/** A text that gives a symptom away. Groups of the pattern fill `$1`, `$2` in cause and fix. */
export interface SymptomSign {
  id: string;
  pattern: RegExp;
  cause: string;
  fix: string;
  field?: string;
}
