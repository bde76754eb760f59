import type { GivenNode, Message, SampledNode } from "@liverl/contract/trajectory";
import { canonicalMessage, toolCallIds } from "#tree/canonical-message.ts";

/** A node in its place. `keys`: the canonical text of each message it stands for. */
export interface Place {
  node: GivenNode | SampledNode;
  parent: Place | null;
  children: Place[];
  keys: readonly string[];
  /** Canonical tool definitions of the root; all that hangs below shares them. */
  toolsKey: string;
}

export interface Match {
  /** The deepest sampled node whose whole path the messages repeat; null when they start anew. */
  held: Place | null;
  /** How many messages that path stands for. */
  messages: number;
}

export const messagesOf = (node: GivenNode | SampledNode): Message[] =>
  Array.isArray(node.message) ? node.message : [node.message];

/** All tokens of one session. Nodes are only ever added. */
export class SessionTree {
  readonly #places = new Map<number, Place>();
  readonly roots: Place[] = [];
  #nextId = 0;

  /** An id for a node that is about to be made. One that never comes to be leaves a gap. */
  takeId(): number {
    return this.#nextId++;
  }

  get nodes(): (GivenNode | SampledNode)[] {
    return [...this.#places.values()].map((place) => place.node).sort((a, b) => a.id - b.id);
  }

  add(node: GivenNode | SampledNode, toolsKey: string): Place {
    const parent = node.parentId === null ? null : this.get(node.parentId);
    const place: Place = {
      node,
      parent,
      children: [],
      keys: messagesOf(node).map(canonicalMessage),
      toolsKey: parent?.toolsKey ?? toolsKey,
    };
    (parent?.children ?? this.roots).push(place);
    this.#places.set(node.id, place);
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

  /** The deepest sampled node that the messages extend: tool-call ids decide between equals, then the newest. */
  match(messages: readonly Message[], keys: readonly string[], toolsKey: string): Match {
    let best: Match = { held: null, messages: 0 };
    let bestById = false;
    const open = this.roots
      .filter((root) => root.toolsKey === toolsKey)
      .map((place) => ({ place, from: 0 }));
    for (let entry = open.pop(); entry; entry = open.pop()) {
      const { place, from } = entry;
      const end = from + place.keys.length;
      if (end > keys.length || place.keys.some((key, i) => key !== keys[from + i])) continue;
      if (place.node.kind === "sampled") {
        const byId = sharesIds(place.node, messages[from]);
        const newer = place.node.id > (best.held?.node.id ?? -1);
        if (end > best.messages || (end === best.messages && (byId !== bestById ? byId : newer))) {
          best = { held: place, messages: end };
          bestById = byId;
        }
      }
      for (const child of place.children) open.push({ place: child, from: end });
    }
    return best;
  }

  /** A given node that already stands for exactly these messages after `parent`. */
  findGiven(parent: Place | null, keys: readonly string[], toolsKey: string): Place | null {
    const siblings = parent?.children ?? this.roots.filter((root) => root.toolsKey === toolsKey);
    return (
      siblings.find((place) => place.node.kind === "given" && sameKeys(place.keys, keys)) ?? null
    );
  }

  /** Token ids from the root to the end of `place`. */
  pathIds(place: Place | null): number[] {
    const path: Place[] = [];
    for (let at = place; at; at = at.parent) path.push(at);
    return path.reverse().flatMap((step) => step.node.tokenIds);
  }
}

function sharesIds(node: SampledNode, sent: Message | undefined): boolean {
  const given = toolCallIds(node.message);
  if (given.length === 0 || !sent) return false;
  const back = toolCallIds(sent);
  return given.every((id) => back.includes(id));
}

export function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, i) => key === b[i]);
}
