import type { Outbound } from '@webkiln/outbound';
import type { SigningSecrets } from '../endpoints/signing-secrets.ts';

/** The dependencies of the delivery use cases. */
export interface DeliveryParts {
  readonly outbound: Pick<Outbound, 'post'>;
  readonly secrets: SigningSecrets;
  /** How long one attempt may take. */
  readonly timeoutMs: number;
  /** How long a delivery is kept. */
  readonly retentionMs: number;
  /** How many replayed deliveries of an organization become due in one second. */
  readonly replaysPerSecond: number;
  /** A delivery becomes due at this time: the store is polled no later. */
  readonly pollBy: (time: Date) => void;
}
