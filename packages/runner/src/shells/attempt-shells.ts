import { AppError } from "@liverl/contract/app-error";
import type { TerminalSize } from "@liverl/contract/shell";
import type { Sandbox, Terminal } from "#sandboxes/sandbox.ts";

/** At once in one sandbox. */
export const MAX_SHELLS = 4;

export interface NewShell {
  /** Who asked for it. */
  actor: string;
  openedAt: Date;
}

/** A shell that is open; its owner reads and writes the terminal. */
export interface Shell {
  readonly sandbox: string;
  readonly terminal: Terminal;
  /** Aborted, with words for people as its reason, when the shell may not go on. */
  readonly ending: AbortSignal;
  /** Resolves when nothing of it is left. May be called again. */
  close(): Promise<void>;
}

/** Shells of operators in the sandbox of one attempt: there are none before it has one, and none when it is judged. */
export class AttemptShells {
  readonly #shells = new Map<AbortController, () => Promise<void>>();
  readonly #onOpened: (shell: NewShell) => void;
  #sandbox: Sandbox | null = null;
  /** Those that are opened now count: their sandbox may be judged meanwhile. */
  #opening = 0;

  /** `onOpened` is told before the first key can be pressed. */
  constructor({ onOpened }: { onOpened: (shell: NewShell) => void }) {
    this.#onOpened = onOpened;
  }

  get open(): number {
    return this.#shells.size;
  }

  get isTaking(): boolean {
    return this.#sandbox !== null && this.#shells.size + this.#opening < MAX_SHELLS;
  }

  /** From now on shells may be opened in this one. */
  enter(sandbox: Sandbox): void {
    this.#sandbox = sandbox;
  }

  /** Throws CONFLICT where there is no sandbox to look into, TOO_MANY_REQUESTS above {@link MAX_SHELLS}. */
  async openOne(actor: string, size: TerminalSize): Promise<Shell> {
    const sandbox = this.#sandbox;
    if (sandbox === null)
      throw new AppError("CONFLICT", {
        userMessage:
          "No agent and no verifier works in this sandbox now: there is nothing to open.",
      });
    if (!this.isTaking)
      throw new AppError("TOO_MANY_REQUESTS", {
        userMessage: `${MAX_SHELLS} shells are open in this sandbox: close one first.`,
      });
    this.#opening++;
    try {
      const terminal = await sandbox.openTerminal(size);
      return await this.#keep(sandbox, terminal, actor);
    } finally {
      this.#opening--;
    }
  }

  async #keep(sandbox: Sandbox, terminal: Terminal, actor: string): Promise<Shell> {
    if (this.#sandbox !== sandbox) {
      await terminal.close();
      throw new AppError("CONFLICT", { userMessage: "The sandbox was left meanwhile." });
    }
    this.#onOpened({ actor, openedAt: new Date() });
    const ending = new AbortController();
    let closing: Promise<void> | null = null;
    const close = () => {
      closing ??= terminal.close().finally(() => this.#shells.delete(ending));
      return closing;
    };
    this.#shells.set(ending, close);
    return { sandbox: sandbox.name, terminal, ending: ending.signal, close };
  }

  /** Ends those that are open. Another may be opened afterwards. */
  async endAll(reason: string): Promise<void> {
    const ended = [...this.#shells];
    for (const [ending] of ended) ending.abort(reason);
    await Promise.all(ended.map(([, close]) => close()));
  }

  /** Ends those that are open and lets none in until another sandbox is entered. */
  async leave(reason: string): Promise<void> {
    this.#sandbox = null;
    await this.endAll(reason);
  }
}
