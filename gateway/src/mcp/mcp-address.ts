import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { isOwnMachine } from '@webkiln/http';

/** What a page of another origin may send and read: programs that run in a browser are agents, too. */
const preflight: readonly string[] = [
  ...['Access-Control-Allow-Origin', '*', 'Access-Control-Allow-Methods', 'POST'],
  // The star does not stand for Authorization (Fetch §3.3.3).
  ...['Access-Control-Allow-Headers', 'Authorization, *', 'Access-Control-Max-Age', '86400'],
];
export const readable: readonly string[] = ['Access-Control-Allow-Origin', '*'];

/** Answers a preflight (Fetch §4.8). It carries no credential, and tells nothing. */
export const answerPreflight = (response: ServerResponse) => response.writeHead(204, [...preflight]).end();

/**
 * The addresses of the MCP server. A platform on its user's machine is reached alike by each name of the machine, at
 * the port of ORIGIN: clients take the one that they like.
 */
export class McpAddress {
  readonly #host: string;
  readonly #port: string;
  readonly #isOnOwnMachine: boolean;
  readonly #protocol: string;

  constructor(origin: string) {
    const { host, port, protocol } = new URL(origin);
    this.#host = host;
    this.#port = port;
    this.#protocol = protocol;
    this.#isOnOwnMachine = isOwnMachine(origin);
  }

  /** The origin at which a request reached us. Throws `foreign_address`: against DNS rebinding (MCP, Security). */
  originOf({ headers: { host = '' } }: IncomingMessage): string {
    const stated = `${this.#protocol}//${host.toLowerCase()}`;
    if (host.toLowerCase() === this.#host || this.#isNameOfMachine(stated)) return stated;
    throw new AppError('foreign_address');
  }

  /**
   * Throws `foreign_address` for a page that may not be an agent. Pages of anywhere may bring a token of their own, and
   * without one they learn what everybody may know. A platform on its user's machine talks to pages on it alone, as no
   * page elsewhere may find out what runs there.
   */
  assertOwnPage({ headers: { origin, authorization } }: IncomingMessage): void {
    if (origin === undefined || authorization !== undefined || !this.#isOnOwnMachine || isOwnMachine(origin)) return;
    throw new AppError('foreign_address');
  }

  #isNameOfMachine(stated: string): boolean {
    return this.#isOnOwnMachine && URL.parse(stated)?.port === this.#port && isOwnMachine(stated);
  }
}
