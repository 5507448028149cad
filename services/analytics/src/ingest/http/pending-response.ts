import type { ServerResponse } from 'node:http';
import { counter } from '@webkiln/runtime';
import type { CommitOutcome, PendingRequest } from '../commit/group-commit.ts';
import { errors, refuse } from './refusals.ts';

const accepted = counter({
  name: 'webkiln_views_accepted_total',
  help: 'Views on the stream, by visitors and bots',
  labelNames: ['kind'],
});
const acceptedBots = accepted.labels({ kind: 'bot' });
const acceptedVisitors = accepted.labels({ kind: 'visitor' });

interface Views {
  readonly count: number;
  readonly bot: boolean;
}

/** Answers a request once the outcome of its views is known. */
export class PendingResponse implements PendingRequest {
  readonly #response: ServerResponse;
  readonly #answer: (response: ServerResponse) => void;
  readonly #views: Views;

  constructor(response: ServerResponse, answer: (response: ServerResponse) => void, views: Views) {
    this.#response = response;
    this.#answer = answer;
    this.#views = views;
  }

  settle(outcome: CommitOutcome): void {
    if (outcome !== 'stored')
      return void refuse(this.#response, outcome === 'overloaded' ? errors.overloaded : errors.unavailable, { reason: outcome });
    (this.#views.bot ? acceptedBots : acceptedVisitors).inc(this.#views.count);
    this.#answer(this.#response);
  }
}
