import type { AddressInfo } from 'node:net';
import { closeEvents, connectEvents, eventsOptions, keepStreams, startHeartbeat, startRelay } from '@webkiln/events';
import { createHttpServer, drainHttp } from '@webkiln/http';
import { mailerFor } from '@webkiln/mail';
import { outboundRules } from '@webkiln/outbound';
import { createVerifier } from '@webkiln/rpc';
import { processTls, type RunningService, readConfig, runPeriodically, runService } from '@webkiln/runtime';
import { eventsPerMinute, startStandings } from '@webkiln/standing';
import { connectStoreOf, disconnectStore, migrateCommand, prepareStore, storeCheck } from '@webkiln/store';
import { loadAuthKeys } from './auth-secret/digest-master-store.ts';
import { resigning } from './auth-secret/resigning.ts';
import { IdentityConfig } from './config.ts';
import { ErasedAddresses } from './deletion/erased-addresses.ts';
import { sweepDeletedAccounts } from './deletion/sweep-deleted-accounts.ts';
import { eraseDueOrganizations } from './erasure/erase-due-organizations.ts';
import { authListener } from './http/auth-listener.ts';
import { authRequests } from './http/auth-requests.ts';
import { invitationTokens } from './invitations/invitation-token.ts';
import { keyHash } from './keys/key-secret.ts';
import { MailAdmission } from './mail-limits/mail-admission.ts';
import { recipientLimits } from './mail-limits/mail-limits-config.ts';
import { migrations } from './migrations.ts';
import { isOauthPath, startOauth } from './oauth/http/start-oauth.ts';
import { onAccountAct } from './reactions/on-account-act.ts';
import { onAccountMail } from './reactions/on-account-mail.ts';
import { onAudited } from './reactions/on-audited.ts';
import { onMemberInvited } from './reactions/on-member-invited.ts';
import { onOrganizationErased } from './reactions/on-organization-erased.ts';
import { onRequestsAnswered } from './reactions/on-requests-answered.ts';
import { serveIdentity } from './server.ts';
import { createAuth } from './sign-in/auth.ts';
import { knownDevices } from './sign-in/known-devices.ts';
import { AccountMailStore } from './sign-in/mails/account-mail-store.ts';
import { SignInMails } from './sign-in/mails/sign-in-mails.ts';
import { keepFactorsResealed } from './sign-in/tables/second-factor-seals.ts';

async function start(onWaiting: (reason: string) => void): Promise<RunningService> {
  const config = readConfig(IdentityConfig);
  const { ORIGIN: origin, AUTH_SECRET: secrets } = config;
  await connectStoreOf('identity', config);
  await prepareStore('identity', config, { migrations, onWaiting });
  const authKeys = await loadAuthKeys(secrets);
  await connectEvents(config.NATS_URL, 'identity', eventsOptions(config));
  const admission = new MailAdmission(authKeys, recipientLimits(config), config);
  const mailer = mailerFor(config, ({ messageId, to, ...mail }) => admission.admit({ ...mail, id: messageId, recipient: to.address }));
  const accountMails = new AccountMailStore(secrets);
  const mails = new SignInMails({ store: accountMails, origin });
  startStandings('identity', config);
  startRelay(eventsPerMinute);
  keepStreams();
  const erased = new ErasedAddresses(authKeys);
  onAudited(erased);
  onAccountMail({ mails: accountMails, mailer, from: config.MAIL_FROM, origin });
  onRequestsAnswered();
  onOrganizationErased(erased);
  const stopErasing = runPeriodically({ everyMs: config.ERASURE_POLL_MS, name: 'erasing organizations or accounts' }, async () => {
    await eraseDueOrganizations(config.ERASURE_QUIET_MS);
    await sweepDeletedAccounts(erased);
  });
  const stopResealing = keepFactorsResealed(secrets);
  onMemberInvited({ tokens: invitationTokens(secrets), mailer, from: config.MAIL_FROM, origin });
  onAccountAct({ mailer, from: config.MAIL_FROM, origin });
  const auth = createAuth({ origin, secrets, hashOf: keyHash(config.KEY_PEPPER), mails });
  const requests = authRequests({ auth, mails, devices: knownDevices(secrets), resigning: resigning(secrets), origin });
  const signIn = authListener(requests, origin);
  const oauth = await startOauth({
    ...{ origin, secrets, hashOf: keyHash(config.KEY_PEPPER), requests, outboundRules: outboundRules(config) },
    maxUnusedClients: config.OAUTH_MAX_UNUSED_CLIENTS,
  });
  const http = createHttpServer(
    (request, response) => (isOauthPath(request.url) ? oauth.listener : signIn)(request, response),
    processTls(),
  );
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(config.HTTP_PORT, config.BIND_ADDRESS, resolve));
  const verifier = createVerifier({ service: 'identity', trustedKeys: config.PRINCIPAL_TRUSTED_KEYS });
  const server = await serveIdentity({ ...config, verifier, authKeys }, admission);
  startHeartbeat();

  return {
    ports: { grpc: server.port, http: (http.address() as AddressInfo).port },
    checks: { store: storeCheck },
    async stop() {
      stopErasing();
      stopResealing();
      await Promise.all([server.drain(), drainHttp(http)]);
      await oauth.stop();
      await closeEvents();
      mailer.close();
      await disconnectStore();
    },
  };
}

await runService('identity', start, migrateCommand('identity', migrations));
