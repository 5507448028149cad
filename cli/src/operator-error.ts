/** An error whose message is shown to the operator. */
export class OperatorError extends Error {}
