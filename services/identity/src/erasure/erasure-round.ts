import type { ServiceName } from '@webkiln/messages';

/** All services are asked once to delete what they have of an organization. */
export interface ErasureRound {
  readonly number: number;
  readonly begun_at: Date;
  /** How many records each service found, of those that have reported. */
  readonly deleted: Partial<Readonly<Record<ServiceName, number>>>;
}
