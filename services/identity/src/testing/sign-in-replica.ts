/** A process for tests that serves /api/auth on a database that it shares with other replicas. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createHttpServer } from '@webkiln/http';
import { connectStore } from '@webkiln/store';
import { patience } from '@webkiln/store/testing';
import { authListener } from '../http/auth-listener.ts';
import { keyHash } from '../keys/key-secret.ts';
import { createAuth } from '../sign-in/auth.ts';
import { knownDevices } from '../sign-in/known-devices.ts';
import { AccountMailStore } from '../sign-in/mails/account-mail-store.ts';
import { SignInMails } from '../sign-in/mails/sign-in-mails.ts';

const secret = 'a'.repeat(32);
const { MONGODB_URL = '', DATABASE = '', ORIGIN: origin = '' } = process.env;

await connectStore(MONGODB_URL, DATABASE, patience);
const mails = new SignInMails({ store: new AccountMailStore(secret), origin });
const auth = createAuth({ origin, secret, hashOf: keyHash(Buffer.alloc(32)), mails });
const server = createHttpServer(authListener({ auth, mails, devices: knownDevices(secret), origin }));
await once(server.listen(0, '127.0.0.1'), 'listening');
process.send?.({ port: (server.address() as AddressInfo).port });
