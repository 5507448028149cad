import type { AddressInfo } from 'node:net';
import { closeEvents, connectEvents, startBeat, startRelay } from '@webkiln/events';
import { mailerFor } from '@webkiln/mail';
import { createHttpServer, drainHttp, type RunningService, readConfig, runService } from '@webkiln/runtime';
import { connectStore, disconnectStore, ensureIndexes, storeCheck } from '@webkiln/store';
import { AccountModel } from './accounts/account-store.ts';
import { TriesModel } from './accounts/tries-store.ts';
import { AccountMailModel, KeptMails } from './auth/account-mail-store.ts';
import { createAuth } from './auth/auth.ts';
import { AuthMails } from './auth/auth-mails.ts';
import { SecondFactorModel } from './auth/second-factor-table.ts';
import { IdentityConfig } from './config.ts';
import { EmbedClientModel } from './embed-clients/embed-client-store.ts';
import { InvitationModel } from './invitations/invitation-store.ts';
import { invitationTokens } from './invitations/invitation-token.ts';
import { keyHash } from './keys/key-secret.ts';
import { KeyModel } from './keys/key-store.ts';
import { MemberModel } from './members/member-store.ts';
import { OrganizationModel } from './organizations/organization-store.ts';
import { PasskeyModel } from './passkeys/passkey-store.ts';
import { onAccountMail } from './reactions/on-account-mail.ts';
import { onAudited } from './reactions/on-audited.ts';
import { onMemberInvited } from './reactions/on-member-invited.ts';
import { onPasskeyChanged } from './reactions/on-passkey-changed.ts';
import { onRequestsAnswered } from './reactions/on-requests-answered.ts';
import { serveIdentity } from './server.ts';
import { authListener } from './serving/auth-listener.ts';
import { SessionModel } from './sessions/session-store.ts';
import { UserAccessModel } from './users/user-access-store.ts';

async function start(): Promise<RunningService> {
  const config = readConfig(IdentityConfig);
  const { ORIGIN: origin, AUTH_SECRET: secret } = config;
  await connectStore(config.MONGODB_URL, `${config.MONGODB_PREFIX}_identity`);
  await ensureIndexes();
  await connectEvents(config.NATS_URL, 'identity', { subjectPrefix: config.EVENTS_PREFIX });
  startRelay([
    AccountMailModel,
    AccountModel,
    EmbedClientModel,
    InvitationModel,
    KeyModel,
    MemberModel,
    OrganizationModel,
    PasskeyModel,
    SecondFactorModel,
    SessionModel,
    TriesModel,
    UserAccessModel,
  ]);
  const mailer = mailerFor(config);
  const kept = new KeptMails(secret);
  const mails = new AuthMails({ kept, origin });
  onAudited();
  onAccountMail({ kept, mailer, from: config.MAIL_FROM, origin });
  onRequestsAnswered();
  onMemberInvited({ tokens: invitationTokens(secret), mailer, from: config.MAIL_FROM, origin });
  onPasskeyChanged({ mailer, from: config.MAIL_FROM, origin });
  const auth = createAuth({ origin, secret, hashOf: keyHash(config.KEY_PEPPER), mails });
  const http = createHttpServer(authListener({ auth, mails, origin }));
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(config.HTTP_PORT, config.BIND_ADDRESS, resolve));
  const server = await serveIdentity(config);
  startBeat();

  return {
    ports: { grpc: server.port, http: (http.address() as AddressInfo).port },
    checks: { store: storeCheck },
    async stop() {
      await Promise.all([server.drain(), drainHttp(http)]);
      await closeEvents();
      mailer.close();
      await disconnectStore();
    },
  };
}

await runService('identity', start);
