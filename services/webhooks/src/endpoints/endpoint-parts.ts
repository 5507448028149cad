import { AppError } from '@webkiln/contract';
import { type Outbound, OutboundRefusal } from '@webkiln/outbound';
import type { SigningSecrets } from './signing-secrets.ts';

/** The dependencies of the endpoint use cases. */
export interface EndpointParts {
  readonly outbound: Pick<Outbound, 'assertAllowed'>;
  readonly secrets: SigningSecrets;
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
