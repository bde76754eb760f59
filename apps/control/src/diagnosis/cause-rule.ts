/** An error, or a line of the system, taken out of a log. */
export interface Incident {
  /** Byte offset of the line that names it. */
  offset: number;
  /** Line number, from 1. */
  line: number;
  /** The process that printed it: `WorkerDict pid=12`; empty for the main process. */
  stream: string;
  /** `torch.OutOfMemoryError`; null for a line without an exception. */
  exception: string | null;
  /** What the exception says, its first lines; the whole line without one. */
  message: string;
  /** Paths of the frames that led to it, the innermost last. */
  frames: string;
  /** Whether the frames lie in the trainer or its libraries; null where none are known. */
  isOurs: boolean | null;
  /** Set for lines of the system. */
  notice: Notice | null;
  /** The process in which a remote call failed, where Ray names it. */
  remotePid: string | null;
  /** The exception before it in a chain, and whether it was raised `from` it. */
  earlier: { incident: Incident; isDirect: boolean } | null;
}

/**
 * `hard`: ends what it hits. `soft`: is often caught, so it counts only where nothing else explains the end.
 */
type Weight = "hard" | "soft";

interface Words {
  id: string;
  /** One sentence: what happened. `$1`, `$2` are groups of the pattern. */
  cause: string;
  /** What to do about it. */
  fix: string;
  /** The path of a value of the spec that would repair it. */
  field?: string;
}

/** A known cause, recognised by an exception's class, where it was raised, and what it says. */
export interface CauseRule extends Words {
  /** The class with its module. Without one the message alone must be unmistakable. */
  exception?: RegExp;
  /** The library: a part of the module of the class, or of a frame's path. */
  from?: RegExp;
  pattern: RegExp;
  weight?: Weight;
}

/** A line without an exception that says what happened: of Slurm, the kernel, Kubernetes, Ray, NCCL, Hydra. */
export interface Notice extends Words {
  pattern: RegExp;
  /**
   * `consequence`: names the cause only where no other error does. `always`: steps that follow do not mean that it passed.
   */
  weight: Weight | "consequence" | "always";
}
