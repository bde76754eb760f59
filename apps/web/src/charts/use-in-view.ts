"use client";
import { type RefObject, useEffect, useRef, useState } from "react";

/** Whether the element is on the screen or near it. `isFirst` is the guess until the browser knows: a frame later. */
export function useInView<T extends Element>(isFirst = false): [RefObject<T | null>, boolean] {
  const element = useRef<T>(null);
  const [isInView, setIsInView] = useState(isFirst);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => setIsInView(entries.at(-1)?.isIntersecting ?? false),
      { rootMargin: "400px" },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, isInView];
}
