export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A process or container that we started. */
export interface Running {
  /** Its process id on this machine, if it has one. */
  readonly pid: number | undefined;
  /** Resolves when it has ended; never rejects. */
  readonly exit: Promise<Exit>;
  signal(signal: NodeJS.Signals): void;
}

export interface Launched extends Running {
  /** Resolves when it is ready; never rejects. */
  readonly ready: Promise<void>;
}

/** "SIGKILL", "code 1" */
export const describe = ({ code, signal }: Exit): string => signal ?? `code ${code}`;
