import type { Outbound } from '@webkiln/outbound';
import type { SigningSecrets } from '../endpoints/signing-secrets.ts';

/** What the use cases work with. */
export interface DeliveryParts {
  readonly outbound: Pick<Outbound, 'post'>;
  readonly secrets: SigningSecrets;
  /** How long one attempt may take. */
  readonly timeoutMs: number;
  /** How long a delivery can be looked at. */
  readonly retentionMs: number;
  /** An attempt will be due then. */
  readonly dueAt: (time: Date) => void;
}
