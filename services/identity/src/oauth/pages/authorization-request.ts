import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AgentScope, baseScope } from '@webkiln/contract';
import { languageOf } from '@webkiln/texts';
import type Provider from 'oidc-provider';
import { errors } from 'oidc-provider';
import { pageTexts } from '../../texts.ts';
import { provesReceiver } from '../clients/redirect-uri.ts';
import { scopesAsked, scopesOf } from '../resources.ts';
import type { ConnectionState } from '../store/connection-store.ts';

/** An authorization request that waits for its person, as its pages need it. */
export interface AuthorizationRequest {
  readonly uid: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUri: string;
  /** The host of the client's metadata document, if it has one. */
  readonly documentHost?: string;
  readonly resources: readonly string[];
  readonly asksConsent: boolean;
  /** What the client asks for besides reading, narrowest first. */
  readonly scopes: readonly AgentScope[];
}

/** Undefined if this browser did not begin the request, or it has ended. Throws if the client is gone. */
export async function authorizationRequest(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  uid: string,
): Promise<AuthorizationRequest | undefined> {
  const interaction = await provider.interactionDetails(request, response).catch((error: unknown) => {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  });
  if (interaction === undefined || interaction.uid !== uid) return undefined;
  const {
    client_id,
    redirect_uri,
    resource,
    prompt = '',
    scope = '',
  } = interaction.params as Record<string, string | undefined> & { resource: string | string[] };
  const clientId = String(client_id);
  const redirectUri = String(redirect_uri);
  const client = await provider.Client.find(clientId);
  if (client === undefined) return undefined;
  return {
    uid,
    clientId,
    clientName: client.clientName ?? pageTexts[languageOf(request.headers)].consent.unnamed,
    redirectUri,
    ...(clientId.startsWith('https://') && { documentHost: new URL(clientId).host }),
    resources: [resource].flat(),
    asksConsent: prompt.split(' ').includes('consent'),
    scopes: scopesAsked(scope).filter((each) => each !== baseScope),
  };
}

/**
 * True if one click is enough: the person allowed all of this before, without a limit, and the code goes to the same
 * https host. Any program may listen on loopback or take a private-use scheme, so there consent is always asked
 * (RFC 8252 §8.6).
 */
export function isRemembered(
  { redirectUri, asksConsent, scopes }: AuthorizationRequest,
  { redirect_uri, project_id, limited_client_id, ...connection }: Remembered,
): boolean {
  return (
    !asksConsent &&
    !project_id &&
    !limited_client_id &&
    scopes.every((scope) => scopesOf(connection).includes(scope)) &&
    provesReceiver(redirectUri) &&
    provesReceiver(redirect_uri) &&
    new URL(redirectUri).origin === new URL(redirect_uri).origin
  );
}

type Remembered = Pick<ConnectionState, 'redirect_uri' | 'scopes' | 'project_id' | 'limited_client_id'>;
