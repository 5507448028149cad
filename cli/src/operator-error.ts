/** An error whose message, one sentence, is shown to the operator. */
export class OperatorError extends Error {}
