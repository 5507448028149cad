import type { AnsweredRequest } from '@webkiln/contract';
import { histogram, logRequest } from '@webkiln/runtime';
import type { RequestLog } from '../request-log/request-log.ts';
import type { Exchange } from './exchange.ts';

type Outcome = Pick<AnsweredRequest, 'method' | 'status' | 'duration_ms'>;

const duration = histogram({
  name: 'http_request_duration_seconds',
  help: 'Requests under /api/v1 by operation and status',
  labelNames: ['operation', 'status'],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});
const histograms = new Map<string, { observe(seconds: number): void }>();

/**
 * Records a closed exchange in the metrics, the process log and the organization's request log. Status 499: the
 * caller disconnected early.
 */
export function recordRequest(exchange: Exchange, requestLog: RequestLog): void {
  const { request, response, requestId, operation, startedAt, principal } = exchange;
  const ms = Math.round((performance.now() - startedAt) * 10) / 10;
  const status = response.writableFinished ? (exchange.outcome ?? response.statusCode) : 499;
  observe(operation, status, ms);
  const { method = '' } = request;
  logRequest({
    request_id: requestId,
    operation,
    method,
    status,
    ms,
    credential_id: principal?.credential_id,
    org_id: principal?.org_id,
  });
  const entry = requestLogEntry(exchange, { method, status, duration_ms: ms });
  if (entry !== undefined) requestLog.record(entry);
}

function observe(operation: string, status: number, ms: number): void {
  const name = `${operation} ${status}`;
  let child = histograms.get(name);
  if (child === undefined) {
    child = duration.labels({ operation, status: String(status) });
    histograms.set(name, child);
  }
  child.observe(ms / 1000);
}

/**
 * Undefined without an organization. For privacy an entry never holds query, body or headers, except the request id.
 */
function requestLogEntry({ principal, requestId, route, code, agent }: Exchange, outcome: Outcome): AnsweredRequest | undefined {
  if (principal === undefined || principal.org_id === '') return undefined;
  const { org_id, kind, credential_id, account_id } = principal;
  const source =
    kind === 'session'
      ? ({ kind, credential: account_id ?? credential_id } as const)
      : ({ kind: kind === 'oauth_token' || kind === 'embed_token' ? kind : 'api_key', credential: credential_id } as const);
  return { org_id, request_id: requestId, at: Date.now(), ...source, ...outcome, route, code, agent: agent ?? principal.agent };
}
