import type { Incident } from "#diagnosis/cause-rule.ts";
import {
  BARE,
  CAUSED,
  FRAME,
  HEAD,
  MEANWHILE,
  NEAR_BYTES,
  NEXT_LINE,
  OURS,
  PASSED,
  PROGRESS,
  RAISED,
  REMOTE,
  SANDBOX,
  SAYS_ERROR,
  TELLS,
  UNRAISABLE,
  WARNS,
} from "#diagnosis/log-patterns.ts";
import { type LogText, readLogText } from "#diagnosis/log-text.ts";
import { NOTICES } from "#diagnosis/notices.ts";
import { PrintedText } from "#diagnosis/printed-text.ts";
import { type Held, newReading, own, type Reading } from "#diagnosis/reading.ts";

const MOST_MESSAGE = 2_000;
const MOST_MESSAGE_LINES = 10;
const MOST_STREAMS = 512;
const MOST_LASTING = 5;
/** Incidents that are kept: the first ones, which led to the rest, and the last ones. */
const KEPT_FIRST = 200;
const KEPT_LAST = 200;

/**
 * Collects the errors of a log, line by line, in bounded memory and linear time. Errors that more than one finished step
 * followed did not end the run and are dropped.
 */
export class ErrorIndex {
  readonly #printed = new PrintedText();
  readonly #readings = new Map<string, Reading>();
  #isReading = 0;
  #line = 0;
  /** Between the last two finished steps, and after the last one. */
  #before: Held[] = [];
  #after: Held[] = [];
  #lasting: Held[] = [];
  #lastErrorLine: Incident | null = null;
  /** Where the trainer said that it ends. */
  #endedAt: number | null = null;

  feed(offset: number, raw: string): void {
    this.#line += 1;
    if (this.#isReading === 0 && !this.#printed.isOpen && !TELLS.test(raw)) return;
    const line = readLogText(raw);
    const { isPrinted, takeBack } = this.#printed.read(line.stream, line.text, offset);
    if (takeBack !== null) this.#takeBack(line.stream, takeBack);
    if (isPrinted) return;
    if (line.text.includes("tep") && PROGRESS.test(line.text)) this.#progress();
    else this.#read(offset, line);
  }

  /** What counts at this point of the log, in its order. */
  get found() {
    const counts = (incident: Held) => !incident.isPassed;
    return {
      lasting: this.#lasting,
      before: this.#before.filter(counts),
      after: this.#after.filter(counts),
      lastErrorLine: this.#lastErrorLine,
      endedAt: this.#endedAt,
    };
  }

  #progress(): void {
    this.#before = this.#after;
    this.#after = [];
    this.#lastErrorLine = null;
    this.#endedAt = null;
  }

  #takeBack(stream: string, since: number): void {
    const isTheirs = (incident: Incident) =>
      incident.offset >= since && (incident.stream === stream || incident.stream === "");
    this.#after = this.#after.filter((incident) => !isTheirs(incident));
    this.#before = this.#before.filter((incident) => !isTheirs(incident));
  }

  #read(offset: number, line: LogText): void {
    const { stream, text } = line;
    const reading = this.#readings.get(stream);
    if (text.startsWith("Error executing job with overrides")) this.#endedAt = offset;
    const head = HEAD.exec(text);
    const remote = head ? null : REMOTE.exec(text);
    if (head || remote) {
      this.#openFrames(stream, offset, line, head?.[1] ?? "", remote?.[1] ?? null);
      return;
    }
    if (reading && reading.state !== "idle") {
      if (this.#readInside(reading, offset, line)) return;
    } else if (reading?.last && PASSED.test(text) && offset - reading.last.offset < NEAR_BYTES) {
      reading.last.isPassed = true;
    }
    this.#readAlone(offset, line);
  }

  #openFrames(
    stream: string,
    offset: number,
    line: LogText,
    said: string,
    pid: string | null,
  ): void {
    const reading = this.#readingOf(stream);
    const isInner = pid !== null && reading.state === "frames";
    const passes = line.isWarning || PASSED.test(said) || UNRAISABLE.test(said);
    const isWarned = reading.warnedAt !== null && offset - reading.warnedAt < NEAR_BYTES;
    reading.warnedAt = null;
    Object.assign(reading, {
      frames: isInner ? reading.frames : [],
      isOurs: isInner && reading.isOurs,
      skipped: 0,
      offset,
      isPassed: passes || isWarned || (isInner && reading.isPassed),
      remotePid: pid,
      messageLines: 0,
    });
    this.#setState(reading, "frames");
  }

  /** True where the line was part of an open traceback or message. */
  #readInside(reading: Reading, offset: number, line: LogText): boolean {
    const { text } = line;
    if (text === CAUSED || text === MEANWHILE) {
      reading.link = reading.last && { incident: reading.last, isDirect: text === CAUSED };
      this.#setState(reading, "message");
      reading.messageLines = MOST_MESSAGE_LINES - 2;
      return true;
    }
    if (reading.state === "message") return this.#readMessage(reading, text);
    const frame = FRAME.exec(text)?.[1];
    if (frame !== undefined) {
      reading.frames.push(own(frame));
      if (reading.frames.length > 12) reading.frames.shift();
      reading.isOurs ||= OURS.test(frame) && !SANDBOX.test(frame);
      return true;
    }
    if (/^\s/.test(text) || text === "") return true;
    const raised = NEXT_LINE.test(text) ? null : RAISED.exec(text);
    if (raised) {
      this.#raise(reading, offset, line, raised[1] ?? "", raised[2] ?? "");
      return true;
    }
    reading.skipped += 1;
    if (reading.skipped > 40) this.#setState(reading, "idle");
    return false;
  }

  #readMessage(reading: Reading, text: string): boolean {
    const { last } = reading;
    reading.messageLines += 1;
    const isOver =
      last === null ||
      reading.messageLines > MOST_MESSAGE_LINES ||
      NEXT_LINE.test(text) ||
      (BARE.test(text) && !/^nccl/.test(text));
    if (isOver) {
      // A process that keeps printing did not die of it: this is text that looks like an error.
      if (last?.isBare && reading.messageLines > MOST_MESSAGE_LINES) last.isPassed = true;
      this.#setState(reading, "idle");
      return false;
    }
    if (PASSED.test(text)) last.isPassed = true;
    if (last.message.length < MOST_MESSAGE) last.message += own(`\n${text}`);
    // A line of the system may stand between.
    return !NOTICES.some(({ pattern }) => pattern.test(text));
  }

  #raise(reading: Reading, offset: number, line: LogText, exception: string, said: string): void {
    const isGroup = /(?:^|\.)(?:Base)?ExceptionGroup$/.test(exception);
    if (!isGroup) {
      const isSandbox = reading.frames.every((frame) => SANDBOX.test(frame));
      const incident = this.#incident(offset, line, exception, said, {
        frames: reading.frames.slice(-6).join("\n"),
        isOurs: reading.frames.length === 0 ? null : reading.isOurs && !isSandbox,
        remotePid: reading.remotePid,
        earlier: reading.link,
      });
      incident.isPassed = reading.isPassed || PASSED.test(said);
      reading.last = this.#keep(incident);
    }
    reading.isPassed = false;
    reading.link = null;
    reading.messageLines = 0;
    this.#setState(reading, isGroup ? "idle" : "message");
  }

  /** A line outside of tracebacks: of the system, a warning, an exception by itself, or a logged error. */
  #readAlone(offset: number, line: LogText): void {
    const { text } = line;
    const trimmed = text.trimStart();
    const notice = NOTICES.find(({ pattern }) => pattern.test(trimmed));
    if (notice) {
      const incident = this.#incident(offset, line, null, trimmed, { notice });
      if (notice.weight !== "always") this.#keep(incident);
      else if (this.#lasting.length < MOST_LASTING) this.#lasting.push(incident);
    } else if (line.isWarning || [UNRAISABLE, PASSED, WARNS].some((told) => told.test(text))) {
      // The traceback that follows is of what was caught.
      this.#readingOf(line.stream).warnedAt = offset;
    } else if (!this.#readBare(offset, line) && (line.isError || SAYS_ERROR.test(trimmed))) {
      this.#lastErrorLine = this.#keep(this.#incident(offset, line, null, trimmed, {}));
    }
  }

  #readBare(offset: number, line: LogText): boolean {
    const bare = BARE.exec(line.text);
    if (!bare || bare[1]?.endsWith("Warning")) return false;
    const open = this.#openElsewhere(line.stream);
    const incident = this.#incident(offset, line, bare[1] ?? "", bare[2] ?? "", {
      frames: open?.frames.join("\n") ?? "",
      isOurs: open ? open.isOurs : null,
    });
    incident.isBare = open === null;
    const reading = this.#readingOf(line.stream);
    reading.last = this.#keep(incident);
    reading.messageLines = 0;
    this.#setState(reading, "message");
    return true;
  }

  /** The only open traceback of another process, whose last line came without its prefix. */
  #openElsewhere(stream: string): Reading | null {
    if (stream !== "") return null;
    const open = [...this.#readings.values()].filter(({ state }) => state === "frames");
    const [first] = open;
    if (open.length !== 1 || !first) return null;
    this.#setState(first, "idle");
    return first;
  }

  #incident(
    offset: number,
    { stream }: LogText,
    exception: string | null,
    message: string,
    more: Partial<Incident>,
  ): Held {
    return {
      offset,
      line: this.#line,
      stream: own(stream),
      exception: exception === null ? null : own(exception),
      message: own(message.slice(0, MOST_MESSAGE)),
      frames: more.frames ?? "",
      isOurs: more.isOurs ?? null,
      notice: more.notice ?? null,
      remotePid: more.remotePid ?? null,
      earlier: more.earlier ?? null,
      isPassed: false,
      isBare: false,
    };
  }

  #keep(incident: Held): Held {
    this.#after.push(incident);
    if (this.#after.length > KEPT_FIRST + 2 * KEPT_LAST)
      this.#after = [...this.#after.slice(0, KEPT_FIRST), ...this.#after.slice(-KEPT_LAST)];
    return incident;
  }

  #readingOf(stream: string): Reading {
    const known = this.#readings.get(stream);
    if (known) return known;
    if (this.#readings.size >= MOST_STREAMS) {
      const oldest = this.#readings.keys().next().value;
      if (oldest !== undefined) {
        const gone = this.#readings.get(oldest);
        if (gone) this.#setState(gone, "idle");
        this.#readings.delete(oldest);
      }
    }
    const reading = newReading();
    this.#readings.set(stream, reading);
    return reading;
  }

  #setState(reading: Reading, state: Reading["state"]): void {
    this.#isReading += (state === "idle" ? 0 : 1) - (reading.state === "idle" ? 0 : 1);
    reading.state = state;
  }
}
