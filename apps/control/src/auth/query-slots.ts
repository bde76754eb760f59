import { AppError } from "@liverl/contract/app-error";

/** Procedures at work at once of everything that one actor sends: a token, or all browsers that are signed in. */
const AT_WORK = 16;
/** What may wait for them; more is refused. */
const MAX_WAITING = 2_000;
const MAX_SUBSCRIPTIONS = 1_000;
/** A socket with this many unanswered messages is not read until half of them are answered. */
const UNANSWERED_OF_SOCKET = 64;
const SUBSCRIPTIONS_OF_SOCKET = 200;

/** A WebSocket, as far as it can be slowed down. */
interface Readable {
  pause(): void;
  resume(): void;
  once(event: "close", listener: () => void): unknown;
}

/** What one request, or one connection, takes of its actor's share. */
export interface Slots {
  /** Resolves when the procedure may begin; the answer says that it has ended. Throws TOO_MANY_REQUESTS. */
  begin(): Promise<() => void>;
  /** The same for a subscription, which costs little while nothing happens. */
  subscribe(): () => void;
}

interface Share {
  atWork: number;
  subscriptions: number;
  waiting: (() => void)[];
}

/** Shares the database among those who ask, so that nobody's flood of queries holds up anybody else. */
export class QuerySlots {
  readonly #shares = new Map<string, Share>();

  /** For a request of `actor`; for all messages of a connection where `socket` is given. */
  of(actor: string, socket?: Readable): Slots {
    let unanswered = 0;
    const subscriptions = new Set<() => void>();
    socket?.once("close", () => {
      for (const end of subscriptions) end();
    });
    let isPaused = false;
    const count = (change: 1 | -1) => {
      unanswered += change;
      if (!isPaused && unanswered >= UNANSWERED_OF_SOCKET) {
        isPaused = true;
        socket?.pause();
      } else if (isPaused && unanswered <= UNANSWERED_OF_SOCKET / 2) {
        isPaused = false;
        socket?.resume();
      }
    };
    return {
      begin: async () => {
        count(1);
        try {
          await this.#begin(actor);
        } catch (error) {
          count(-1);
          throw error;
        }
        return once(() => {
          count(-1);
          this.#end(actor);
        });
      },
      subscribe: () => {
        const share = this.#shareOf(actor);
        if (
          share.subscriptions >= MAX_SUBSCRIPTIONS ||
          subscriptions.size >= SUBSCRIPTIONS_OF_SOCKET
        )
          throw tooMany(`${share.subscriptions} subscriptions are open`);
        share.subscriptions++;
        const end = once(() => {
          share.subscriptions--;
          subscriptions.delete(end);
          this.#forget(actor, share);
        });
        subscriptions.add(end);
        return end;
      },
    };
  }

  async #begin(actor: string): Promise<void> {
    const share = this.#shareOf(actor);
    if (share.atWork < AT_WORK) {
      share.atWork++;
      return;
    }
    if (share.waiting.length >= MAX_WAITING) throw tooMany(`${MAX_WAITING} requests wait already`);
    await new Promise<void>((resolve) => share.waiting.push(resolve));
  }

  #end(actor: string): void {
    const share = this.#shareOf(actor);
    const next = share.waiting.shift();
    if (!next) {
      share.atWork--;
      this.#forget(actor, share);
    } else next();
  }

  #shareOf(actor: string): Share {
    const known = this.#shares.get(actor);
    if (known) return known;
    const share: Share = { atWork: 0, subscriptions: 0, waiting: [] };
    this.#shares.set(actor, share);
    return share;
  }

  #forget(actor: string, { atWork, subscriptions }: Share): void {
    if (atWork === 0 && subscriptions === 0) this.#shares.delete(actor);
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}

const tooMany = (what: string) =>
  new AppError("TOO_MANY_REQUESTS", {
    userMessage: `${what}: wait for answers before you send more.`,
  });
