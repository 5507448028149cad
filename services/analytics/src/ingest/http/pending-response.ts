import type { ServerResponse } from 'node:http';
import { counter } from '@webkiln/runtime';
import type { Outcome, Waiting } from './commits.ts';
import { overloaded, refuse, unavailable } from './refusals.ts';

const accepted = counter({
  name: 'webkiln_views_accepted_total',
  help: 'Views on the stream, by visitors and bots',
  labelNames: ['kind'],
});
const byBots = accepted.labels({ kind: 'bot' });
const byVisitors = accepted.labels({ kind: 'visitor' });

interface Views {
  readonly count: number;
  readonly bot: boolean;
}

/** A request that waits for its views to be on disk. */
export class PendingViews implements Waiting {
  readonly #response: ServerResponse;
  readonly #answer: (response: ServerResponse) => void;
  readonly #views: Views;

  constructor(response: ServerResponse, answer: (response: ServerResponse) => void, views: Views) {
    this.#response = response;
    this.#answer = answer;
    this.#views = views;
  }

  settle(outcome: Outcome): void {
    if (outcome !== 'stored') return void refuse(this.#response, outcome === 'overloaded' ? overloaded : unavailable, { reason: outcome });
    (this.#views.bot ? byBots : byVisitors).inc(this.#views.count);
    this.#answer(this.#response);
  }
}
