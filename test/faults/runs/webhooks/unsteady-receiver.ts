import type { Random } from '../random.ts';
import type { Responder } from './receiver.ts';

/** An event is accepted after this many refusals, so that no retry schedule runs out by chance. */
const maxRefusals = 3;
const slowMs = 1500;

const refusals: readonly { readonly share: number; readonly respond: Responder }[] = [
  { share: 0.05, respond: (response) => void response.writeHead(500).end('Not now.') },
  { share: 0.03, respond: (response) => void response.writeHead(429, { 'retry-after': '1' }).end() },
  { share: 0.02, respond: (response) => void response.writeHead(503).end() },
  // Never answered: the sender times out.
  { share: 0.02, respond: () => undefined },
  { share: 0.04, respond: (response) => void response.destroy() },
  // A late success.
  { share: 0.02, respond: (response) => void setTimeout(() => response.writeHead(200).end(), slowMs) },
];

/** A receiver that sometimes refuses, hangs, closes the connection or answers late. */
export const unsteadyReceiver =
  (random: Random): Responder =>
  (response, received) => {
    let dice = received.deliveries > maxRefusals ? 1 : random.next();
    for (const { share, respond } of refusals) {
      if (dice < share) return respond(response, received);
      dice -= share;
    }
    response.writeHead(204).end();
  };
