import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { servicePrincipal } from '@webkiln/messages';
import { callerOf, type Exchange } from '../api/exchange.ts';
import { assertJson, readBody } from '../api/read-body.ts';
import { recordRequest } from '../api/record-request.ts';
import type { ResponseWriter } from '../api/response-writer.ts';
import type { Admission } from '../credentials/admission.ts';
import { assertIssuedFor } from '../credentials/authenticate.ts';
import type { ActiveCredential } from '../credentials/recent-credentials.ts';
import { holdSlot } from '../in-flight/hold-slot.ts';
import type { RequestSlots } from '../in-flight/request-slots.ts';
import type { WritePace } from '../in-flight/write-pace.ts';
import type { RequestLog } from '../request-log/request-log.ts';
import { agentOf, sessionIdOf } from './agent-session.ts';
import { type McpAnswer, McpAnswers } from './mcp-answers.ts';
import { isWrite, type McpMessage, messageIn, needsToken, shownName } from './mcp-message.ts';
import { McpRefusals } from './mcp-refusals.ts';
import { ownAddress } from './own-address.ts';

interface Parts {
  readonly origin: string;
  readonly admission: Admission;
  readonly responses: ResponseWriter;
  /** Requests in flight, by credential. */
  readonly slots: RequestSlots;
  readonly writePace: WritePace;
  readonly requestLog: RequestLog;
  readonly clientAddress: (request: IncomingMessage) => string;
  /** How long mcp may take. */
  readonly timeoutMs: number;
}

const jsonHeaders = ['Content-Type', 'application/json'];
const noHeaders: readonly string[] = [];
/** The caller of a message without a credential. */
const nobody = servicePrincipal('gateway', '');

/**
 * The way of agents to the service mcp, at `{origin}/api/mcp`: checks Host, Origin, credential, limits and size, and
 * sends the message on as a call, with the principal in place of the credential. Every message counts on the limits of
 * its credential, or of its client address without one.
 */
export class McpEntrance {
  readonly #parts: Parts;
  /** That of the OAuth tokens that are accepted. */
  readonly #resource: string;
  readonly #answers = new McpAnswers();
  readonly #refusals: McpRefusals;
  readonly #assertOwnAddress: (request: IncomingMessage) => void;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#assertOwnAddress = ownAddress(parts.origin);
    this.#resource = `${parts.origin}/api/mcp`;
    this.#refusals = new McpRefusals(parts.origin, parts.responses);
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const exchange: Exchange = { request, response, requestId: randomUUID(), startedAt: performance.now(), operation: 'mcp' };
    response.once('close', () => recordRequest(exchange, this.#parts.requestLog));
    this.#serve(exchange).catch((error: unknown) => this.#refusals.send(exchange, error, null));
  };

  async #serve(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    const { admission, slots } = this.#parts;
    this.#assertOwnAddress(request);
    // A browser's session is none of an agent's credentials.
    const credential = request.headers.authorization === undefined ? undefined : await admission.admit(exchange);
    if (credential === undefined) await admission.consumeAddressQuota(exchange);
    const slotsOf = credential?.principal.credential_id ?? this.#parts.clientAddress(request);
    await holdSlot(slots, slotsOf, response);
    if (credential !== undefined) assertIssuedFor([this.#resource], credential);
    if (credential?.isSuspended) throw new AppError('organization_suspended');
    if (request.method !== 'POST') return this.#refusals.send(exchange, new AppError('method_not_allowed'), null, ['Allow', 'POST']);
    assertJson(request);
    const body = await readBody(request);
    const message = messageIn(body);
    exchange.route = shownName(message);
    exchange.operation = `mcp ${exchange.route}`;
    await this.#answer(exchange, message, body, credential).catch((error: unknown) => this.#refusals.send(exchange, error, message.id));
  }

  async #answer(exchange: Exchange, message: McpMessage, body: Buffer, credential: ActiveCredential | undefined): Promise<void> {
    const { request } = exchange;
    const { name: stated, isUnknown } = agentOf(message.method, message.params, request.headers);
    // The name that an OAuth client registered goes before one that it states now.
    const name = credential?.principal.agent ?? stated;
    if (isUnknown) throw new AppError('agent_session_not_found');
    if (credential === undefined && needsToken(message)) throw new AppError('missing_credential');
    if (name !== undefined) exchange.agent = name;
    const { admission, writePace } = this.#parts;
    if (credential !== undefined && isWrite(message))
      await writePace.turn(credential.principal.org_id, admission.organizationLimit(credential));
    // The service gets the principal in place of the credential, which is passed on to nobody.
    const principal = credential === undefined ? nobody : { ...credential.principal, agent: name };
    const caller = callerOf(exchange, principal, this.#parts.timeoutMs);
    const answer = await this.#answers.answer(message, body, request.headers, caller);
    if (answer.outcome_code) {
      exchange.outcome = answer.outcome_status;
      exchange.code = answer.outcome_code;
    }
    const headers = message.method === 'initialize' ? ['Mcp-Session-Id', sessionIdOf(name)] : noHeaders;
    this.#send(exchange, answer, headers);
  }

  #send(exchange: Exchange, { status, start = '', json }: McpAnswer, headers: readonly string[]): void {
    const { response } = exchange;
    if (response.destroyed) return;
    const length = Buffer.byteLength(start) + json.byteLength;
    const fixed = length === 0 ? noHeaders : jsonHeaders;
    this.#parts.responses.begin(exchange, status, ['Content-Length', String(length), ...headers], fixed);
    response.cork(); // One write for both parts, until the end.
    if (start !== '') response.write(start);
    response.end(json);
  }
}
