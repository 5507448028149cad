/** A file operation that the rules of sites refuse; the message tells the engine what to do instead. */
export class WorkRefusal extends Error {
  override readonly name = 'WorkRefusal';
}

/** Ends a turn; the message is a sentence for the person, `tokens` what the model spent until then. */
export class TurnFailure extends Error {
  override readonly name = 'TurnFailure';
  readonly tokens: number;

  constructor(message: string, tokens: number, options?: ErrorOptions) {
    super(message, options);
    this.tokens = tokens;
  }
}
