/** Where a migration says what it does, a line at a time. */
export type Report = (line: string) => void;

/**
 * A change of what is stored. It runs while processes of this release and the one before serve, may run several times
 * at once, may be killed anywhere, and runs again at every upgrade: then it finds what processes of the release before
 * wrote meanwhile.
 */
export interface Migration {
  /** Permanent: services look for it to know that the migration is done. */
  readonly name: string;
  run(report: Report): Promise<void>;
}
