/** A process for tests that serves /api/auth and OAuth on a database that it shares with other replicas. */
import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createHttpServer } from '@webkiln/http';
import { TextSecrets } from '@webkiln/runtime';
import { connectStore } from '@webkiln/store';
import { patience } from '@webkiln/store/testing';
import { keyHash } from '../keys/key-secret.ts';
import { AccountMailStore } from '../mails/account-mail-store.ts';
import { SignInMails } from '../mails/sign-in-mails.ts';
import { startOauth } from '../oauth/http/start-oauth.ts';
import { isOauthPath } from '../oauth/metadata.ts';
import { knownDevices } from '../sign-in/attempts/known-devices.ts';
import { createAuth } from '../sign-in/auth.ts';
import { resigning } from '../sign-in/cookies.ts';
import { authListener } from '../sign-in/http/auth-listener.ts';
import { authRequests } from '../sign-in/http/auth-requests.ts';
import { usePasswordCost } from '../sign-in/password.ts';
import { resealFactors } from '../sign-in/tables/second-factor-table.ts';

const {
  MONGODB_URL = '',
  DATABASE = '',
  ORIGIN: origin = '',
  PEPPER,
  AUTH_SECRET,
  RESEAL,
  OUTBOUND_PORT,
  MAX_UNUSED_CLIENTS,
} = process.env;

usePasswordCost(10);
await connectStore(MONGODB_URL, DATABASE, patience);
const secrets = TextSecrets.parse(AUTH_SECRET ?? 'a'.repeat(32));
const hashOf = keyHash([PEPPER === undefined ? Buffer.alloc(32) : Buffer.from(PEPPER, 'base64')]);
if (RESEAL !== undefined) await resealFactors(secrets);
const mails = new SignInMails({ store: new AccountMailStore(secrets), origin });
const auth = createAuth({ origin, secrets, hashOf, mails });
const requests = authRequests({ auth, mails, devices: knownDevices(secrets), resigning: resigning(secrets), origin });
const outboundRules = { ports: [Number(OUTBOUND_PORT ?? 443)], allowHttp: false, allowedCidrs: ['127.0.0.1/32'], dnsServers: [] };
const maxUnusedClients = Number(MAX_UNUSED_CLIENTS ?? 10_000);
const oauth = await startOauth({ origin, secrets, hashOf, requests, outboundRules, maxUnusedClients });
const signIn = authListener(requests, origin);
const server = createHttpServer((request, response) => (isOauthPath(request.url) ? oauth.listener : signIn)(request, response));
await once(server.listen(0, '127.0.0.1'), 'listening');
process.send?.({ port: (server.address() as AddressInfo).port });
// Replicas are killed, and a dozen suites start them.
flushCompileCache();
