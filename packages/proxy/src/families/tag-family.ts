import type { Family, FamilyEvidence, TurnEnd } from "#families/family.ts";
import { marksOf, type TagGrammar, TagParser } from "#families/tag-parser.ts";

/** A family whose grammar is one of tags. */
export function tagFamily(
  id: string,
  matches: (evidence: FamilyEvidence) => boolean,
  grammar: TagGrammar,
  turnEnd: TurnEnd,
): Family {
  return {
    id,
    matches,
    marks: marksOf(grammar),
    turnEnd,
    start: (options) => new TagParser(grammar, options),
  };
}
