"use client";
import { type DragEvent, type KeyboardEvent, useRef } from "react";
import type { Move } from "#metrics/move-panel.ts";

const TYPE = "application/x-liverl-panel";

/** The name of the panel around an element; null outside of all. */
export function panelAround(element: EventTarget | null): string | null {
  return panelElement(element)?.dataset.panel ?? null;
}

function panelElement(element: EventTarget | null): HTMLElement | null {
  return element instanceof Element ? element.closest<HTMLElement>("[data-panel]") : null;
}

function groupAround(element: EventTarget | null): HTMLElement | null {
  return element instanceof Element ? element.closest<HTMLElement>("[data-group]") : null;
}

/**
 * Handlers for the element around all sections: panels are dragged by their head (`draggable`), and the keyboard moves the one in
 * focus with Shift and an arrow. The place is shown by `data-drop` on the panel that it goes before or after; nothing is rendered.
 */
export function usePanelDrag(
  move: (move: Move) => void,
  step: (title: string, by: 1 | -1) => void,
) {
  const marked = useRef<HTMLElement | null>(null);

  function mark(element: HTMLElement | null, side: "before" | "after"): void {
    if (marked.current !== null && marked.current !== element) delete marked.current.dataset.drop;
    marked.current = element;
    if (element !== null) element.dataset.drop = side;
  }
  function sideOf(event: DragEvent, element: HTMLElement): "before" | "after" {
    const { left, width } = element.getBoundingClientRect();
    return event.clientX < left + width / 2 ? "before" : "after";
  }

  return {
    onDragStart: (event: DragEvent) => {
      const title = panelAround(event.target);
      if (title === null) return;
      event.dataTransfer.setData(TYPE, title);
      event.dataTransfer.effectAllowed = "move";
    },
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(TYPE) || groupAround(event.target) === null) return;
      event.preventDefault();
      const element = panelElement(event.target);
      mark(element, element === null ? "after" : sideOf(event, element));
    },
    onDragEnd: () => mark(null, "after"),
    onDrop: (event: DragEvent) => {
      const title = event.dataTransfer.getData(TYPE);
      const group = groupAround(event.target);
      const element = panelElement(event.target);
      mark(null, "after");
      if (title === "" || group === null) return;
      event.preventDefault();
      const next =
        element !== null && sideOf(event, element) === "after"
          ? panelElement(element.nextElementSibling)
          : element;
      move({ title, to: group.dataset.group ?? "", before: next?.dataset.panel ?? null });
    },
    onKeyDown: (event: KeyboardEvent) => {
      const title = panelAround(event.target);
      if (!event.shiftKey || title === null) return;
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      event.preventDefault();
      step(title, event.key === "ArrowRight" ? 1 : -1);
      focusAgain(title);
    },
  };
}

/** A panel that changes places loses the focus; the next key has to find it. */
function focusAgain(title: string): void {
  requestAnimationFrame(() => {
    const panel = document.querySelector(`[data-panel="${CSS.escape(title)}"]`);
    panel?.querySelector<HTMLElement>("[role=slider]")?.focus();
  });
}
