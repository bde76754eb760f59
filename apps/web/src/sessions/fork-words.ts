import type { ForkReason } from "@liverl/contract/trajectory";

export interface ForkWords {
  /** Beside the reason, in a few words. */
  short: string;
  /** What the client did, and what it means for the tokens. */
  long: string;
  /** Whether agents are meant to do this. */
  planned: boolean;
}

/** Every reason for a fork in plain words. */
export const FORK_WORDS: Record<ForkReason, ForkWords> = {
  "system-changed": {
    short: "another system prompt",
    long: "The client sent another system prompt. It stands at the very beginning, so every token after it is new.",
    planned: false,
  },
  "tools-changed": {
    short: "other tool definitions",
    long: "The client sent other tool definitions. They are part of the beginning of the prompt, so every token after them is new.",
    planned: false,
  },
  "template-changed": {
    short: "other template settings",
    long: "The client, or the pool, set the chat template's variables otherwise, such as enable_thinking. The prompt is rendered anew.",
    planned: false,
  },
  "first-message-edited": {
    short: "the first user message changed",
    long: "The client changed its first user message, such as a time or a list of files in it. Every token after it is new; the agent's own turns keep their sampled ids and train on this path, too.",
    planned: false,
  },
  "message-edited": {
    short: "another message at this point",
    long: "The client changed an earlier message, or went on from an earlier point with another one. The ids after it differ.",
    planned: false,
  },
  "tool-result-edited": {
    short: "a tool result changed",
    long: "The client changed or cleared an earlier tool result. The ids after it differ.",
    planned: false,
  },
  "message-inserted": {
    short: "a message was put in",
    long: "The client put a message into the history. The ids after it differ.",
    planned: false,
  },
  "message-dropped": {
    short: "a message was dropped",
    long: "The client dropped an earlier message. The ids after it differ.",
    planned: false,
  },
  "message-moved": {
    short: "a message was moved",
    long: "The client moved a message to another place in the history. The ids from the first of both places differ.",
    planned: false,
  },
  "assistant-edited": {
    short: "an earlier answer came back changed",
    long: "The client gave an earlier answer back in other words than the model had said. The changed text was not sampled, so it is given from here on; the sampled answer stays on the stored path.",
    planned: false,
  },
  "thinking-stripped": {
    short: "thinking was left out",
    long: "The client, or the chat template, left the thinking of earlier turns out. The ids after it differ; what was sampled stays on the stored path.",
    planned: false,
  },
  "reminder-moved": {
    short: "same text, new place",
    long: "The client moved its reminder block. The text is the same; its position is not, so the ids after it differ.",
    planned: false,
  },
  compaction: {
    short: "history replaced by a summary",
    long: "The client replaced the history by a summary and went on from there. It is a root of its own, linked to the turn that it was made from.",
    planned: true,
  },
  "side-request": {
    short: "beside the main line",
    long: "A request beside the agent's own work, for a title or the like. It is captured and, by default, does not train.",
    planned: true,
  },
  subagent: {
    short: "another agent's line",
    long: "Another agent began a conversation of its own in this session. It is a root of its own, linked to the turn that called it.",
    planned: true,
  },
  "next-step": {
    short: "the task's next step",
    long: "The agent began the next step of its task: a conversation of its own, in the same sandbox. It trains as the steps before it do.",
    planned: true,
  },
  "retry-replay": {
    short: "client sent the call twice",
    long: "The client sent a call again that had been answered. The answer that the agent went on with is the one that trains.",
    planned: true,
  },
  resample: {
    short: "same prompt, sampled again",
    long: "The client asked again from a point that had been answered. Both answers stay, each on its own path.",
    planned: true,
  },
  truncated: {
    short: "the beginning was cut away",
    long: "The client cut the beginning of the conversation away. What is left stands at other positions, so it begins a root of its own.",
    planned: false,
  },
  "seam-unsafe": {
    short: "the seam would merge tokens",
    long: "Text that follows a sampled turn would have merged with it into other tokens. To keep the sampled ids as they are, a new path begins.",
    planned: false,
  },
  "no-bridge": {
    short: "goes on elsewhere",
    long: "The messages go on from a point that no stored path ends at, so a new path begins there.",
    planned: false,
  },
};
