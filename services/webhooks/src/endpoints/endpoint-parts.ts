import { AppError, accessTo, operations, refusalOf, type WebhookEvent } from '@webkiln/contract';
import { type Caller, onBehalf } from '@webkiln/messages';
import { type Outbound, OutboundRefusal } from '@webkiln/outbound';
import { call } from '@webkiln/rpc';
import type { SigningSecrets } from './signing-secrets.ts';

/** The dependencies of the endpoint use cases. */
export interface EndpointParts {
  readonly outbound: Pick<Outbound, 'assertAllowed'>;
  readonly secrets: SigningSecrets;
  /** As `actingMember` below. */
  readonly actingMember: (caller: Caller) => Promise<string | null>;
  /** The maximum of endpoints of an organization. */
  readonly maxEndpoints: (org_id: string) => Promise<number>;
}

/** Throws `url_not_allowed`, with the reason, for an address that deliveries must not be sent to. */
export async function assertUrlAllowed(outbound: Pick<Outbound, 'assertAllowed'>, url: string): Promise<void> {
  try {
    await outbound.assertAllowed(url);
  } catch (error) {
    if (!(error instanceof OutboundRefusal)) throw error;
    throw new AppError('url_not_allowed', [{ path: 'url', message: error.message.replace(/\.$/, '') }], { cause: error });
  }
}

const money: WebhookEvent = 'payment.received';
const { listOrders } = operations;
/** Roles decide: a key that only writes may still make webhooks. */
const readsOrders = listOrders && { ...accessTo(listOrders), permission: undefined };

/** Throws `role_missing` if the caller would hear of sums that its role may not read. */
export function assertMayHear({ principal }: Caller, events: readonly string[]): void {
  if (!events.includes(money) || refusalOf(principal, readsOrders) === undefined) return;
  throw new AppError('role_missing', [{ path: 'events', message: `${money} is for the roles that may read orders: owner and admin` }]);
}

/** The member whose session or API key the caller has; null for operators, and for keys that no member was shown. */
export async function actingMember(caller: Caller): Promise<string | null> {
  const { kind, account_id, credential_id } = caller.principal;
  if (kind !== 'session' && kind !== 'api_key') return null;
  const request = kind === 'session' ? { account_id } : { key_id: credential_id };
  return (await call('identity.GetActingMember', request, onBehalf('webhooks', caller))).member_id ?? null;
}
