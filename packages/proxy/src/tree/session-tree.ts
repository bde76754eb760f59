import type { CallKind, GivenNode, Message, SampledNode } from "@liverl/contract/trajectory";
import { canonicalMessage, toolCallIds } from "#tree/canonical-message.ts";

/** What a node shares with those below it: all are its root's, but a branch may be of another kind. */
export interface Traits {
  /** Canonical tool definitions. */
  toolsKey: string;
  /** Canonical values of the chat template's variables; empty where none are set. */
  templateKey: string;
  /** The subagent that it belongs to; null for the agent itself. */
  subagent: string | null;
  /** The step of the task that it belongs to; null where the task has none. */
  taskStep: string | null;
  kind: CallKind;
}

/** A node in its place. */
export interface Place {
  node: GivenNode | SampledNode;
  parent: Place | null;
  children: Place[];
  /** The canonical text of each message that the node stands for. */
  keys: readonly string[];
  traits: Traits;
  /** Tokens from the root to the end of this node. */
  end: number;
}

export interface Match {
  /** The deepest sampled node whose whole path the messages repeat; null when they start anew. */
  held: Place | null;
  /** How many messages that path stands for. */
  messages: number;
  /** Whether a turn on that path came back in other words: it was found by the ids of its tool calls. */
  rewritten: boolean;
}

/** Which roots a conversation may go on from. */
export type Line = Pick<Traits, "toolsKey" | "templateKey" | "subagent" | "taskStep">;

export const messagesOf = (node: GivenNode | SampledNode): Message[] =>
  Array.isArray(node.message) ? node.message : [node.message];

interface Step {
  place: Place;
  /** The message at which the place begins. */
  from: number;
  rewritten: boolean;
}

/** All tokens of one session. Nodes are only ever added. */
export class SessionTree {
  readonly #places = new Map<number, Place>();
  /** Sampled nodes by the ids of their tool calls, and the newest by canonical text. */
  readonly #sampled = new Map<string, Place>();
  readonly roots: Place[] = [];
  #nextId = 0;

  /** An id for a node that is about to be made. One that never comes to be leaves a gap. */
  takeId(): number {
    return this.#nextId++;
  }

  get nodes(): (GivenNode | SampledNode)[] {
    return [...this.#places.values()].map((place) => place.node).sort((a, b) => a.id - b.id);
  }

  /**
   * `kind` is that of the call which brings the node; the other traits count for roots alone. `keys`, where they are known: texts
   * that are one object with those of later calls are compared at once.
   */
  add(
    node: GivenNode | SampledNode,
    traits: Traits,
    keys: readonly string[] = messagesOf(node).map(canonicalMessage),
  ): Place {
    const parent = node.parentId === null ? null : this.get(node.parentId);
    const place: Place = {
      node,
      parent,
      children: [],
      keys,
      traits: parent ? { ...parent.traits, kind: traits.kind } : traits,
      end: (parent?.end ?? 0) + node.tokenIds.length,
    };
    (parent?.children ?? this.roots).push(place);
    this.#places.set(node.id, place);
    if (node.kind === "sampled") this.#index(node, place);
    this.#nextId = Math.max(this.#nextId, node.id + 1);
    return place;
  }

  get(id: number): Place {
    const place = this.#places.get(id);
    if (!place) throw new Error(`no node ${id}`);
    return place;
  }

  /** Takes back a node that could not be made durable, unless something hangs below it by now. */
  remove(place: Place): void {
    if (place.children.length > 0) return;
    const siblings = place.parent?.children ?? this.roots;
    siblings.splice(siblings.indexOf(place), 1);
    this.#places.delete(place.node.id);
  }

  /**
   * The deepest sampled node that the messages extend. A turn is known by the ids of its tool calls, which clients keep
   * when they rewrite arguments, else by its canonical text; of equals the one with its ids is taken, then the newest.
   */
  match(messages: readonly Message[], keys: readonly string[], line: Line): Match {
    let best: Match = { held: null, messages: 0, rewritten: false };
    let bestById = false;
    const open: Step[] = this.#rootsOf(line).map((place) => ({ place, from: 0, rewritten: false }));
    for (let step = open.pop(); step; step = open.pop()) {
      const { place, from } = step;
      const end = from + place.keys.length;
      const byId = sharesIds(place.node, messages[from]);
      const same = end <= keys.length && place.keys.every((key, i) => key === keys[from + i]);
      if (!same && !byId) continue;
      const rewritten = step.rewritten || !same;
      if (place.node.kind === "sampled") {
        const newer = place.node.id > (best.held?.node.id ?? -1);
        if (end > best.messages || (end === best.messages && (byId !== bestById ? byId : newer))) {
          best = { held: place, messages: end, rewritten };
          bestById = byId;
        }
      }
      for (const child of place.children) open.push({ place: child, from: end, rewritten });
    }
    return best;
  }

  /** A given node that already stands for exactly these messages after `parent`. */
  findGiven(parent: Place | null, keys: readonly string[], line: Line): Place | null {
    const siblings = parent?.children ?? this.#rootsOf(line);
    return (
      siblings.find((place) => place.node.kind === "given" && sameKeys(place.keys, keys)) ?? null
    );
  }

  /** The turn of this session, on whatever path, that a client's assistant message echoes. */
  findSampled(message: Message, key: string): Place | null {
    const byId = toolCallIds(message)
      .map((id) => this.#sampled.get(id))
      .find((place) => place && sharesIds(place.node, message));
    return byId ?? this.#sampled.get(key) ?? null;
  }

  #index(node: SampledNode, place: Place): void {
    for (const id of toolCallIds(node.message)) this.#sampled.set(id, place);
    const [key] = place.keys;
    if (key !== undefined) this.#sampled.set(key, place);
  }

  #rootsOf({ toolsKey, templateKey, subagent, taskStep }: Line): Place[] {
    return this.roots.filter(
      ({ traits }) =>
        traits.toolsKey === toolsKey &&
        traits.templateKey === templateKey &&
        traits.subagent === subagent &&
        traits.taskStep === taskStep,
    );
  }
}

/** From the root to `place`. */
export function pathTo(place: Place | null): Place[] {
  const path: Place[] = [];
  for (let at = place; at; at = at.parent) path.push(at);
  return path.reverse();
}

function sharesIds(node: Place["node"], sent: Message | undefined): boolean {
  if (node.kind !== "sampled") return false;
  const given = toolCallIds(node.message);
  if (given.length === 0 || sent?.role !== "assistant") return false;
  const back = toolCallIds(sent);
  return given.every((id) => back.includes(id));
}

export function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, i) => key === b[i]);
}
