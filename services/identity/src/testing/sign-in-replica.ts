/** A process for tests: what identity answers under /api/auth, on a store that it shares with others of its kind. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createHttpServer } from '@webkiln/runtime';
import { connectStore } from '@webkiln/store';
import { KeptMails } from '../auth/account-mail-store.ts';
import { createAuth } from '../auth/auth.ts';
import { AuthMails } from '../auth/auth-mails.ts';
import { keyHash } from '../keys/key-secret.ts';
import { authListener } from '../serving/auth-listener.ts';

const secret = 'a'.repeat(32);
const { MONGODB_URL = '', DATABASE = '', ORIGIN: origin = '' } = process.env;

await connectStore(MONGODB_URL, DATABASE);
const mails = new AuthMails({ kept: new KeptMails(secret), origin });
const auth = createAuth({ origin, secret, hashOf: keyHash(Buffer.alloc(32)), mails });
const server = createHttpServer(authListener({ auth, mails, origin }));
await once(server.listen(0, '127.0.0.1'), 'listening');
process.send?.({ port: (server.address() as AddressInfo).port });
