import { useSyncExternalStore } from "react";

/** The turn at the top of the conversation. Apart from React's state: scrolling renders only who looks at it. */
export interface VisibleTurn {
  get(): number | null;
  set(nodeId: number | null): void;
  subscribe(listener: () => void): () => void;
}

export function createVisibleTurn(): VisibleTurn {
  let current: number | null = null;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set(nodeId) {
      if (nodeId === current) return;
      current = nodeId;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export const useVisibleTurn = (store: VisibleTurn): number | null =>
  useSyncExternalStore(store.subscribe, store.get, () => null);
