import type { Family } from "#families/family.ts";
import { type TagGrammar, TagParser } from "#families/tag-parser.ts";

const NOTHING: TagGrammar = {
  think: null,
  section: null,
  call: { open: "", close: "" },
  takesBareCalls: false,
  takesSpelled: false,
  isJson: false,
  unclosed: "text",
  readCall: () => null,
};

/** No calls and no thought: a turn is its text. */
export const plain: Family = {
  id: "plain",
  matches: ({ template }) => !/\btools\b|\btool_calls\b|<think>/.test(template),
  marks: [],
  turnEnd: { stops: [], close: null, closesToo: [], opensNext: [] },
  start: (options) => new TagParser(NOTHING, { ...options, tools: null }),
};
