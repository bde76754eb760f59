import type { ImageWork } from "@liverl/contract/sandbox";

const MAX_LINE = 200;

/** How far an image has come, by what the daemon writes. */
export class ImageProgress {
  #view: ImageWork;

  constructor(name: string, kind: ImageWork["kind"]) {
    const since = new Date().toISOString();
    this.#view = { name, kind, since, step: null, steps: null, line: "" };
  }

  /** The classic builder begins each instruction with `Step 3/7 : RUN …`. */
  take(text: string): void {
    const lines = text.split("\n").map((line) => line.trim());
    for (const line of lines) {
      const [, step, steps] = /^Step (\d+)\/(\d+) :/.exec(line) ?? [];
      if (step && steps) Object.assign(this.#view, { step: Number(step), steps: Number(steps) });
    }
    const last = lines.findLast((line) => line !== "");
    if (last !== undefined) this.#view.line = last.slice(0, MAX_LINE);
  }

  view(): ImageWork {
    return { ...this.#view };
  }
}
