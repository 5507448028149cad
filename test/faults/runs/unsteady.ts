import type { Conduct } from './audience.ts';
import type { Random } from './random.ts';

/** After so many repeats an event is taken: no schedule of retries runs out by chance. */
const mostRefusals = 3;
const slowMs = 1500;

const refusals: readonly { readonly share: number; readonly conduct: Conduct }[] = [
  { share: 0.05, conduct: (response) => void response.writeHead(500).end('Not now.') },
  { share: 0.03, conduct: (response) => void response.writeHead(429, { 'retry-after': '1' }).end() },
  { share: 0.02, conduct: (response) => void response.writeHead(503).end() },
  // Until the sender gives up.
  { share: 0.02, conduct: () => undefined },
  { share: 0.04, conduct: (response) => void response.destroy() },
  // An answer that comes after all, but later than anybody's patience with a stream.
  { share: 0.02, conduct: (response) => void setTimeout(() => response.writeHead(200).end(), slowMs) },
];

/** A receiver that refuses, hangs, hangs up and dawdles now and then. */
export const unsteady =
  (random: Random): Conduct =>
  (response, heard) => {
    let dice = heard.times > mostRefusals ? 1 : random.next();
    for (const { share, conduct } of refusals) {
      if (dice < share) return conduct(response, heard);
      dice -= share;
    }
    response.writeHead(204).end();
  };
