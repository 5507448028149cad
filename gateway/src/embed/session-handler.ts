import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, createSerializer, EmbedSessionRequest, embedSecretTexts, embedTokenTexts, Project, validate } from '@webkiln/contract';
import { servicePrincipal } from '@webkiln/messages';
import { parseJson } from '@webkiln/operations';
import { call } from '@webkiln/rpc';
import type * as z from 'zod';
import type { Admission, Admit } from '../admission/admit.ts';
import { type Credential, introspectionCaller } from '../admission/credential-cache.ts';
import { addressKey } from '../admission/quotas.ts';
import { assertMediaType, callerOf, type Exchange, newRequestId, readBody, recordRequest } from '../api/exchange.ts';
import type { RequestLog } from '../api/request-log.ts';
import type { ResponseWriter } from '../api/response-writer.ts';

interface Parts {
  readonly origin: string;
  readonly admission: Admission;
  readonly responses: ResponseWriter;
  readonly requestLog: RequestLog;
  readonly clientAddress: (request: IncomingMessage) => string;
  /** How long a session may take to open. */
  readonly timeoutMs: number;
}

interface SessionExchange extends Exchange {
  /** Set with the credential, which is part of it. */
  wanted?: z.output<typeof EmbedSessionRequest>;
}

const serializeProject = createSerializer(Project);

/**
 * `POST {origin}/api/embed/session`: an agency's server hands over its signed-in user, and gets a token for that user's
 * browser. No page of a browser may call it: the pair is a secret.
 */
export class SessionHandler {
  readonly #parts: Parts;
  readonly #admit: Admit<SessionExchange>;

  constructor(parts: Parts) {
    this.#parts = parts;
    const isReadWithPair = { notApplicable: 'the request is read with the pair of its embed client' };
    this.#admit = parts.admission.ladder<SessionExchange>({
      host: { notApplicable: 'the pair proves the caller; a page that borrows a name of ours has none' },
      authenticate: (exchange) => this.#authenticate(exchange),
      route: isReadWithPair,
      role: { notApplicable: 'an embed client opens sessions, and nothing else' },
      needsNoOrganization: () => false,
      body: isReadWithPair,
      isWrite: () => true,
      isStream: { notApplicable: 'the answer is one record' },
    });
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const exchange: SessionExchange = {
      request,
      response,
      requestId: newRequestId(),
      startedAt: performance.now(),
      operation: 'openEmbedSession',
    };
    exchange.route = '/api/embed/session';
    response.once('close', () => recordRequest(exchange, this.#parts.requestLog));
    this.#serve(exchange).catch((error: unknown) => this.#parts.responses.error(exchange, error));
  };

  async #serve(exchange: SessionExchange): Promise<void> {
    const { responses, origin, timeoutMs } = this.#parts;
    await this.#admit(exchange);
    const { request, requestId, credential, wanted } = exchange as Required<SessionExchange>;
    const { client_id: embed_client_id, client_secret: _secret, user_id: external_user_id, ...rest } = wanted;
    const token = embedTokenTexts.format(randomBytes(32));
    const { embed_session, project } = await call(
      'embed.OpenEmbedSession',
      {
        ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
        ...{ embed_client_id, external_user_id, session_id: requestId, token_digest: embedTokenTexts.digest(token) },
        new_project_id: projectIdFor(embed_client_id, external_user_id, request.headers['idempotency-key']),
      },
      callerOf(exchange, servicePrincipal('gateway', credential.principal.org_id), timeoutMs),
    );
    const builder_url = `${origin}/builder/${project?.id}?e=${embed_client_id}#token=${token}`;
    const shown = { token, expires_at: embed_session?.expires_at, builder_url, project: serializeProject(project as never) };
    responses.json(exchange, 201, JSON.stringify(shown));
  }

  /** Reads the request, and verifies its pair. Throws what is wrong with the request, or `invalid_embed_client`. */
  async #authenticate(exchange: SessionExchange): Promise<Credential> {
    const { request } = exchange;
    if (request.method !== 'POST') {
      exchange.refusalHeaders = ['Allow', 'POST'];
      throw new AppError('method_not_allowed');
    }
    assertMediaType(request);
    const wanted = validate(EmbedSessionRequest, withPair(parseJson(await readBody(request)), request.headers.authorization));
    exchange.wanted = wanted;
    const text = embedSecretTexts.parse(wanted.client_secret);
    const pair = {
      embed_client_id: wanted.client_id,
      secret_digest: text === undefined ? '' : embedSecretTexts.digest(text),
      network: addressKey(this.#parts.clientAddress(request)),
    };
    const {
      org_id,
      suspended: isSuspended,
      requests_limit: requestsLimit,
    } = await call('identity.VerifyEmbedClient', pair, introspectionCaller());
    const principal = { kind: 'embed_token', org_id, credential_id: wanted.client_id, permissions: [] } as const;
    return { principal, rateLimit: undefined, requestsLimit, isSuspended, isForServersOnly: true };
  }
}

/** Adds the pair of HTTP Basic credentials (RFC 7617) to a body; fields of the body go before. */
function withPair(body: unknown, authorization: string | undefined): unknown {
  if (typeof body !== 'object' || body === null || authorization?.slice(0, 6).toLowerCase() !== 'basic ') return body;
  const text = Buffer.from(authorization.slice(6).trim(), 'base64').toString();
  const colon = text.indexOf(':');
  if (colon === -1) return body;
  return { client_id: text.slice(0, colon), client_secret: text.slice(colon + 1), ...body };
}

/**
 * The id of a project that the request makes: a UUID of version 8 (RFC 9562), the same for the same Idempotency-Key of
 * one user, so that a retry makes no second project; random without a key.
 */
function projectIdFor(embedClientId: string, userId: string, key: string | string[] | undefined): string {
  if (key === undefined) return randomUUID();
  const bytes = createHash('sha256')
    .update(JSON.stringify([embedClientId, userId, key]))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
