import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, createSerializer, EmbedSessionRequest, embedTokenTexts, Project, validate } from '@webkiln/contract';
import { servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { callerOf, type Exchange } from '../api/exchange.ts';
import { assertJson, parseJson, readBody } from '../api/read-body.ts';
import { recordRequest } from '../api/record-request.ts';
import type { ResponseWriter } from '../api/response-writer.ts';
import type { RequestLog } from '../request-log/request-log.ts';
import type { EmbedClientAdmission } from './embed-client-admission.ts';
import { projectIdFor } from './project-id.ts';
import { withPair } from './with-pair.ts';

interface Parts {
  readonly origin: string;
  readonly admission: EmbedClientAdmission;
  readonly responses: ResponseWriter;
  readonly requestLog: RequestLog;
  /** How long a session may take to open. */
  readonly timeoutMs: number;
}

const serializeProject = createSerializer(Project);

/**
 * `POST {origin}/api/embed/session`: an agency's server hands over its signed-in user, and gets a token for that user's
 * browser. No page of a browser may call it: the pair is a secret.
 */
export class SessionEntrance {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const exchange: Exchange = { request, response, requestId: randomUUID(), startedAt: performance.now(), operation: 'openEmbedSession' };
    exchange.route = '/api/embed/session';
    response.once('close', () => recordRequest(exchange, this.#parts.requestLog));
    this.#serve(exchange).catch((error: unknown) => this.#parts.responses.error(exchange, error));
  };

  async #serve(exchange: Exchange): Promise<void> {
    const { request, requestId } = exchange;
    const { admission, responses, origin, timeoutMs } = this.#parts;
    if (request.method !== 'POST') return responses.error(exchange, new AppError('method_not_allowed'), ['Allow', 'POST']);
    assertJson(request);
    const wanted = validate(EmbedSessionRequest, withPair(parseJson(await readBody(request)), request.headers.authorization));
    const { client_id: embed_client_id, client_secret, user_id: external_user_id, ...rest } = wanted;
    const org_id = await admission.admit(exchange, { id: embed_client_id, secret: client_secret });
    const token = embedTokenTexts.format(randomBytes(32));
    const { embed_session, project } = await call(
      'embed.OpenEmbedSession',
      {
        ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
        ...{ embed_client_id, external_user_id, session_id: requestId, token_digest: embedTokenTexts.digest(token) },
        new_project_id: projectIdFor(embed_client_id, external_user_id, request.headers['idempotency-key']),
      },
      callerOf(exchange, servicePrincipal('gateway', org_id), timeoutMs),
    );
    const builder_url = `${origin}/builder/${project?.id}?e=${embed_client_id}#token=${token}`;
    const shown = { token, expires_at: embed_session?.expires_at, builder_url, project: serializeProject(project as never) };
    responses.json(exchange, 201, JSON.stringify(shown));
  }
}
