import type { IncomingMessage } from 'node:http';
import type { KeyHash } from '../../keys/key-secret.ts';
import { noteDeciding } from '../store/client-store.ts';
import { connectionsWith } from '../store/connection-store.ts';
import { allow } from './allow.ts';
import { type AuthorizationRequest, isRemembered } from './authorization-request.ts';
import { consentPage, nowherePage } from './consent-page.ts';
import { goneClient, type Page } from './page.ts';
import { codePage, type FormState, signInPage } from './sign-in-pages.ts';
import { connectable, signedInAccount } from './signed-in.ts';

interface Situation {
  readonly request: IncomingMessage;
  readonly asked: AuthorizationRequest;
  readonly hashOf: KeyHash;
  readonly form: FormState;
  /** True if the password was right and the second factor is missing. */
  readonly needsCode: boolean;
  /** The address that the person entered before. */
  readonly email: string | undefined;
}

/** The person's answer for the library: its account and the grant. */
export type Allowed = { readonly login: { readonly accountId: string }; readonly consent: { readonly grantId: string } };

/** The next page of an authorization request; or its end, if the person need not be asked. */
export async function nextStep({ request, asked, hashOf, form, needsCode, email }: Situation): Promise<Page | Allowed> {
  const { clientName: client, redirectHost, documentHost } = asked;
  const account = await signedInAccount(request, hashOf);
  if (account === undefined) return needsCode ? codePage(client, form) : signInPage(client, form, email);
  const [memberships, connections] = await Promise.all([connectable(account._id), connectionsWith(account._id, asked.clientId)]);
  if (memberships.length === 0) return nowherePage(client, account.email, form);
  const [connection] = connections;
  const again = memberships.find(({ org_id }) => org_id === connection?.org_id);
  const mayGoOn = request.method === 'GET' && connections.length === 1 && connection !== undefined && again !== undefined;
  if (mayGoOn && isRemembered(asked, connection)) {
    const grantId = await allow(asked, account._id, again, connection._id);
    return grantId === undefined ? goneClient : { login: { accountId: account._id }, consent: { grantId } };
  }
  if (documentHost === undefined) await noteDeciding(asked.clientId);
  const shown = {
    client,
    redirectHost,
    ...(documentHost !== undefined && { documentHost }),
    ...(again !== undefined && { chosen: again.id }),
  };
  return consentPage({ ...shown, email: account.email, choices: memberships.map(({ choice }) => choice) }, form);
}
