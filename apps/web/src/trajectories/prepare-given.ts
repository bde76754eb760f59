import type { TurnView } from "@liverl/contract/turn-view";

export interface GivenPart {
  /** Null where the text is of one message alone. */
  role: string | null;
  text: string;
  /** Of its first character, in the node's text. */
  from: number;
  /** Whether it goes on from a range before this one. */
  isRest: boolean;
}

/** The text of a given node's range, cut where its messages begin, without the empty lines between them. */
export function prepareGiven({ text, from, parts }: Pick<TurnView, "text" | "from" | "parts">) {
  if (parts === undefined || parts.length === 0)
    return [{ role: null, text, from, isRest: false }] satisfies GivenPart[];
  const to = from + text.length;
  return parts.flatMap((part, at): GivenPart[] => {
    const first = Math.max(from, part.from);
    const last = Math.min(to, parts[at + 1]?.from ?? to);
    if (first >= last) return [];
    const own = text.slice(first - from, last - from);
    const isWhole = at + 1 < parts.length && last === parts[at + 1]?.from;
    return [
      {
        role: part.role,
        text: isWhole ? own.trimEnd() : own,
        ...{ from: first, isRest: first > part.from },
      },
    ];
  });
}
