"use client";
import type { Terminal } from "@xterm/xterm";
import { useEffect, useRef, useState } from "react";
import { type Cast, nextOutputAt, outputBetween } from "#terminals/parse-cast.ts";

const TICK_MS = 50;
/** With waits left out, what is shorter than this is still waited for. */
const LONGEST_WAIT_S = 1;

export interface Player {
  /** Seconds of the recording. */
  at: number;
  isPlaying: boolean;
  speed: number;
  skipsWaits: boolean;
  seek(to: number): void;
  toggle(): void;
  setSpeed(speed: number): void;
  setSkipsWaits(skips: boolean): void;
}

/** Plays a recording in a terminal by its own times. It stands at the end, where all is shown, until it is played. */
export function usePlayer(terminal: Terminal | null, cast: Cast, isLive: boolean): Player {
  const [at, setAt] = useState(Number.POSITIVE_INFINITY);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const [skipsWaits, setSkipsWaits] = useState(false);
  /** What the terminal shows, and of which terminal that is true. */
  const drawn = useRef<{ terminal: Terminal; at: number } | null>(null);

  useEffect(() => {
    if (terminal === null) return;
    const now = Math.min(at, cast.durationS);
    if (drawn.current?.terminal !== terminal || drawn.current.at > now) {
      terminal.reset();
      drawn.current = { terminal, at: Number.NEGATIVE_INFINITY };
    }
    const text = outputBetween(cast, drawn.current.at, now);
    if (text !== "") terminal.write(text);
    if (cast.events.length > 0) drawn.current.at = now;
  }, [terminal, cast, at]);

  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => {
      setAt((before) => {
        const next = before + (TICK_MS / 1_000) * speed;
        const output = nextOutputAt(cast, before);
        const isWait = output !== null && output - before > LONGEST_WAIT_S;
        return skipsWaits && isWait ? output : next;
      });
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [isPlaying, speed, skipsWaits, cast]);

  const isAtEnd = at >= cast.durationS;
  useEffect(() => {
    if (!isPlaying || !isAtEnd) return;
    setPlaying(false);
    setAt(Number.POSITIVE_INFINITY);
  }, [isPlaying, isAtEnd]);

  return {
    at: Math.min(at, cast.durationS),
    isPlaying,
    speed,
    skipsWaits,
    seek: (to) => setAt(to >= cast.durationS ? Number.POSITIVE_INFINITY : Math.max(0, to)),
    toggle: () => {
      if (isLive) return;
      if (isAtEnd) setAt(0);
      setPlaying(!isPlaying);
    },
    setSpeed,
    setSkipsWaits,
  };
}
