import { counter, logger } from '@webkiln/runtime';
import { deleteUnused, unusedBeyond } from '../store/client-store.ts';

/** Registrations beyond the bound that are kept because a person is deciding. Anybody can open consent pages. */
const maxSpared = 100;
/** Registrations that one check reads. */
const maxPerCheck = 1000;

/**
 * Bounds the registrations that no person has connected, over all networks and replicas: the oldest go first. A check
 * walks `max` keys of an index, so each process makes one per hundredth of the bound.
 */
export class UnusedClients {
  readonly #max: number;
  readonly #checkEvery: number;
  #sinceCheck = 0;

  constructor(max: number) {
    this.#max = max;
    this.#checkEvery = Math.ceil(max / 100);
  }

  /** Call it after each registration. */
  async afterRegistration(): Promise<void> {
    this.#sinceCheck += 1;
    if (this.#sinceCheck < this.#checkEvery) return;
    this.#sinceCheck = 0;
    const now = new Date();
    const beyond = await unusedBeyond(this.#max, maxPerCheck);
    const spared = new Set(beyond.filter(({ deciding_until }) => deciding_until !== null && deciding_until > now).slice(0, maxSpared));
    const ids = beyond.filter((client) => !spared.has(client)).map(({ _id }) => _id);
    if (ids.length === 0) return;
    await deleteUnused(ids);
    clientsPushedOut.inc(ids.length);
    logger.warn({ count: ids.length, max: this.#max }, 'too many registrations of agents that nobody connected; the oldest were deleted');
  }
}

const clientsPushedOut = counter({
  name: 'webkiln_oauth_clients_pushed_out_total',
  help: 'Registrations of agents that were deleted because too many were unused',
});
