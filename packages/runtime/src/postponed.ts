/** Work that cannot be done now, through no fault of its own: try again after `delayMs`, however often. */
export class Postponed extends Error {
  readonly delayMs: number;

  constructor(message: string, delayMs: number) {
    super(message);
    this.delayMs = delayMs;
  }
}
