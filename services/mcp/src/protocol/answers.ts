/** The response to a message. */
export interface Answer {
  /** The status of the HTTP response. */
  readonly status: number;
  /** One JSON-RPC response; empty if there is none. */
  readonly json: string;
  /** The byte after the id, if what follows is the same, for a moment, to messages that differ in their id alone. */
  readonly sharedFrom?: number;
}

/** The headers of a request that its message is checked against. */
export interface MessageHeaders {
  readonly protocolVersion?: string | undefined;
  readonly method?: string | undefined;
  readonly name?: string | undefined;
}

export const parseError = -32_700;
export const invalidRequest = -32_600;

/** The error as JSON-RPC 2.0 (§5.1), for the message `body` if it has an id. */
export function errorAnswer(status: number, code: number, message: string, body?: unknown, data?: unknown): Answer {
  const error = { code, message, ...(data !== undefined && { data }) };
  return { status, json: JSON.stringify({ jsonrpc: '2.0', id: idOf(body), error }) };
}

function idOf(body: unknown): string | number | null {
  const { id } = (body ?? {}) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
