/** What an operator is told, as one sentence. */
export class OperatorError extends Error {}
