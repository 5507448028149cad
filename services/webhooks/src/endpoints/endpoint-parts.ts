import type { Outbound } from '@webkiln/outbound';
import type { SigningSecrets } from './signing-secrets.ts';

/** The dependencies of the endpoint use cases. */
export interface EndpointParts {
  readonly outbound: Pick<Outbound, 'assertAllowed'>;
  readonly secrets: SigningSecrets;
  /** The maximum of endpoints of an organization. */
  readonly maxEndpoints: (org_id: string) => Promise<number>;
}
