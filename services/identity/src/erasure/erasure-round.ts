import type { ServiceName } from '@webkiln/messages';

/** All services are asked once to delete what they have of an organization. */
export interface ErasureRound {
  readonly number: number;
  readonly begun_at: Date;
  /** When all services had reported for the first time: since then each refuses new records of the organization. */
  readonly closed_at?: Date | undefined;
  /** How many records each service found, of those that have reported. */
  readonly deleted: Partial<Readonly<Record<ServiceName, number>>>;
}
