import { randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { LEASE_S, type Lease, type LeaseHeartbeat, type LeaseResult } from "@liverl/contract/lease";
import type { CompletedSession, CompleteSession } from "@liverl/contract/proxy-admin";
import { PHASES_FILE } from "@liverl/contract/rollout";
import { TRIAL_LOG } from "#harbor-files/write-trial-files.ts";
import { SessionGateway } from "#scaffolds/tunnel/session-gateway.ts";
import type { HarborAttempt } from "#trials/harbor-attempt.ts";
import { TrialError } from "#trials/trial-error.ts";

const CHECK_MS = 1_000;
/** A runner hears that an attempt was cancelled within a heartbeat; then it has so long to end it. */
const CANCEL_MS = 10_000;

/** An attempt that a joined runner works on. It ends once. */
export class OpenLease {
  readonly id = `lease-${randomBytes(12).toString("hex")}`;
  /** Of the session's calls alone. */
  readonly key = randomBytes(32).toString("hex");
  readonly runner: string;
  readonly attempt: HarborAttempt;
  readonly taskDigest: string;
  /** How it ended; rejects with a `TrialError` where its runner was lost. */
  readonly ended: Promise<LeaseResult>;
  completed: CompletedSession | null = null;
  #gateway: SessionGateway | null = null;
  #settle: (result: LeaseResult) => void = () => undefined;
  #lose: (error: TrialError) => void = () => undefined;
  #heardAt = Date.now();
  #cancelledAt: number | null = null;
  #phase: LeaseHeartbeat["phase"] = null;

  constructor(options: { runner: string; attempt: HarborAttempt; taskDigest: string }) {
    this.runner = options.runner;
    this.attempt = options.attempt;
    this.taskDigest = options.taskDigest;
    this.ended = new Promise<LeaseResult>((resolve, reject) => {
      this.#settle = resolve;
      this.#lose = reject;
    });
    const watch = setInterval(() => this.#check(), CHECK_MS).unref();
    const stop = () => clearInterval(watch);
    this.ended.then(stop, stop);
  }

  describe(): Lease {
    const { trial, run } = this.attempt;
    return {
      leaseId: this.id,
      request: trial.request,
      change: trial.change,
      run,
      taskDigest: this.taskDigest,
    };
  }

  heartbeat({ phase, log }: LeaseHeartbeat): { cancelled: boolean } {
    const { root, signal } = this.attempt;
    this.#heardAt = Date.now();
    if (log !== "") appendFileSync(join(root, TRIAL_LOG), log);
    if (phase) this.#enter(phase);
    return { cancelled: signal.aborted };
  }

  #enter(now: NonNullable<LeaseHeartbeat["phase"]>): void {
    const { root, trial, scaffold, shells } = this.attempt;
    const { phase, at, step = null, state, deadlineAt, sandbox } = now;
    const known = this.#phase;
    this.#phase = now;
    // A phase has states of its own, each with its time.
    if (known?.phase !== phase || known.step !== now.step) {
      const record = { phase, at, ...(step !== null && { step }) };
      appendFileSync(join(root, PHASES_FILE), `${JSON.stringify(record)}\n`);
    }
    trial.inSandbox = {
      ...{ phase, step, state, since: new Date(at), sandbox, shells, output: null },
      ...{ agent: scaffold.name, runner: this.runner },
      deadline: deadlineAt === null ? null : new Date(deadlineAt),
    };
  }

  /** Opens the attempt's session, for calls that come with {@link key}. Answers with when it expires. */
  async openSession(verifyS: number): Promise<string> {
    const { baseUrl, apiKey, expiresAt } = await this.attempt.session.open({ verifyS });
    this.#gateway ??= new SessionGateway({
      baseUrl,
      apiKey,
      // The joined runner counts them.
      mayCall: () => true,
      onTurn: () => undefined,
      passesTaskStep: true,
    });
    return expiresAt;
  }

  async completeSession(ending: CompleteSession): Promise<CompletedSession> {
    this.completed ??= await this.attempt.session.complete(ending);
    return this.completed;
  }

  /** Of the attempt's session. */
  get gateway(): SessionGateway {
    if (this.#gateway) return this.#gateway;
    throw new AppError("CONFLICT", { userMessage: `${this.id} has no session yet.` });
  }

  end(result: LeaseResult): void {
    this.#settle(result);
  }

  /** This process ends: whoever works on it hears so by its next heartbeat. */
  drop(): void {
    this.#lose(lost("The trial runner ends."));
  }

  #check(): void {
    const now = Date.now();
    if (this.attempt.signal.aborted) this.#cancelledAt ??= now;
    if (now - this.#heardAt > LEASE_S * 1_000)
      this.#lose(lost(`Nothing was heard of the runner ${this.runner} for ${LEASE_S} seconds.`));
    if (this.#cancelledAt !== null && now - this.#cancelledAt > CANCEL_MS)
      this.#lose(lost(`The runner ${this.runner} did not end a cancelled attempt.`));
  }
}

const lost = (message: string) => new TrialError("RunnerLostError", message);
