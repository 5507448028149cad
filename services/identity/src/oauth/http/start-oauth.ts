import type { RequestListener } from 'node:http';
import { AppError } from '@webkiln/contract';
import { oauthMetadataPaths } from '@webkiln/messages';
import { Outbound, type OutboundRules } from '@webkiln/outbound';
import type { SecretList } from '@webkiln/runtime';
import { identityCaller } from '../../identity-caller.ts';
import type { KeyHash } from '../../keys/key-secret.ts';
import { beginAttempt } from '../../sign-in/attempts/begin-attempt.ts';
import { type AuthRequests, addressOf } from '../../sign-in/http/auth-requests.ts';
import { UnusedClients } from '../clients/unused-clients.ts';
import { InteractionPages } from '../pages/interaction-pages.ts';
import { deadEnd, goneClient, sendPage } from '../pages/page.ts';
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
        beginAttempt(identityCaller(), [{ kind: 'client_document', of: addressOf(request) }]).then(
          () => true,
          (error: unknown) => {
            if (error instanceof AppError && error.code === 'rate_limited') return false;
            throw error;
          },
        ),
      renderError: ({ res, status }, { message }) => {
        // The page has its own headers; koa has nothing left to send.
        if (message === 'invalid_client') sendPage(res, { ...goneClient, status });
        else sendPage(res, deadEnd(sentences[message] ?? 'The agent sent a request that is not valid.', status));
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

/** Advice to a person about an error that must not be redirected back (RFC 6749 §4.1.2.1). */
const sentences: Readonly<Record<string, string>> = {
  invalid_redirect_uri: 'The agent wants the answer at an address that it has not registered.',
};

/** The paths that `listener` serves. */
export const isOauthPath = (url = ''): boolean => url.startsWith('/oauth/') || oauthMetadataPaths.has(url.split('?', 1)[0] ?? '');
