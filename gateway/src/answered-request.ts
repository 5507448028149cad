import type { AnsweredRequest } from '@webkiln/contract';
import type { Exchange } from './answer.ts';

type Outcome = Pick<AnsweredRequest, 'method' | 'status' | 'duration_ms'>;

/** What the log of requests keeps of an exchange; undefined where nobody's log is meant. Never a query, a body, a header but the request id. */
export function answeredRequest({ principal, requestId, route, code }: Exchange, outcome: Outcome): AnsweredRequest | undefined {
  if (principal === undefined || principal.org_id === '') return undefined;
  const { org_id, kind, credential_id, account_id } = principal;
  const whose =
    kind === 'session'
      ? ({ kind, credential: account_id ?? credential_id } as const)
      : ({ kind: 'api_key', credential: credential_id } as const);
  return { org_id, request_id: requestId, at: Date.now(), ...whose, ...outcome, route, code };
}
