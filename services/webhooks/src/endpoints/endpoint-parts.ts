import type { Outbound } from '@webkiln/outbound';
import type { SigningSecrets } from './signing-secrets.ts';

/** What the use cases work with. */
export interface EndpointParts {
  readonly outbound: Pick<Outbound, 'assertAllowed'>;
  readonly secrets: SigningSecrets;
  /** How many endpoints an organization may have. */
  readonly endpointsMost: number;
}
