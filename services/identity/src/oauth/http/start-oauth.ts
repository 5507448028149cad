import type { RequestListener } from 'node:http';
import { AppError } from '@webkiln/contract';
import { serviceCaller } from '@webkiln/messages';
import { Outbound, type OutboundRules } from '@webkiln/outbound';
import type { SecretList } from '@webkiln/runtime';
import { languageOf } from '@webkiln/texts';
import type { KeyHash } from '../../keys/key-secret.ts';
import { beginAttempt } from '../../sign-in/attempts/begin-attempt.ts';
import { type AuthRequests, addressOf } from '../../sign-in/http/auth-requests.ts';
import { UnusedClients } from '../clients/unused-clients.ts';
import { InteractionPages } from '../pages/interaction-pages.ts';
import { deadEnd, sendPage } from '../pages/page.ts';
import { CurrentProvider } from '../provider.ts';
import { tokenTexts } from '../store/token-store.ts';
import { oauthListener } from './oauth-listener.ts';

interface Options {
  readonly origin: string;
  readonly secrets: SecretList;
  readonly hashOf: KeyHash;
  readonly requests: AuthRequests;
  readonly outboundRules: OutboundRules;
  /** Registrations that no person has connected, over all networks. */
  readonly maxUnusedClients: number;
}

/** Starts the authorization server. The store must be connected. */
export async function startOauth({ origin, secrets, hashOf, requests, outboundRules, maxUnusedClients }: Options) {
  const outbound = new Outbound(outboundRules);
  const server = await CurrentProvider.start(
    {
      origin,
      texts: tokenTexts(secrets, hashOf),
      unused: new UnusedClients(maxUnusedClients),
      outbound,
      mayFetch: (request) =>
        beginAttempt(serviceCaller('identity'), [{ kind: 'client_document', of: addressOf(request) }]).then(
          () => true,
          (error: unknown) => {
            if (error instanceof AppError && error.code === 'rate_limited') return false;
            throw error;
          },
        ),
      renderError: ({ req, res, status }, { message }) => {
        // The page has its own headers; koa has nothing left to send.
        sendPage(res, deadEnd(languageOf(req.headers), reasons[message] ?? 'invalid', status));
      },
    },
    secrets,
  );
  const listener: RequestListener = oauthListener({ origin, server, pages: new InteractionPages({ secrets, hashOf, requests }) });
  return {
    listener,
    async stop() {
      server.stop();
      await outbound.close();
    },
  };
}

/** Why a request cannot continue, by errors that must not be redirected back (RFC 6749 §4.1.2.1). */
const reasons: Readonly<Record<string, 'gone' | 'redirect'>> = { invalid_client: 'gone', invalid_redirect_uri: 'redirect' };
