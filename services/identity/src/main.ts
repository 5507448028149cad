import type { AddressInfo } from 'node:net';
import { AppError } from '@webkiln/contract';
import { closeEvents, connectEvents, eventsOptions, keepStreams, startHeartbeat, startRelay } from '@webkiln/events';
import { createHttpServer, drainHttp } from '@webkiln/http';
import { mailerFor } from '@webkiln/mail';
import { eventsPerMinute, watchOrgPolicies } from '@webkiln/org-policy';
import { outboundRules } from '@webkiln/outbound';
import { createVerifier } from '@webkiln/rpc';
import { logger, processTls, type RunningService, runPeriodically, runService } from '@webkiln/runtime';
import { connectStoreOf, disconnectStore, type Migration, migrateCommand, prepareStore, storeCheck } from '@webkiln/store';
import { sweepDeletedAccounts } from './accounts/delete-account.ts';
import { ErasedAddresses } from './accounts/erased-addresses.ts';
import { IdentityConfig, recipientLimits } from './config.ts';
import { assignEmbedClientPlaces } from './embed-clients/embed-client-store.ts';
import { keyHash } from './keys/key-secret.ts';
import { assignKeyPlaces } from './keys/key-store.ts';
import { AccountMailStore } from './mails/account-mail-store.ts';
import { MailAdmission } from './mails/mail-admission.ts';
import { SignInMails } from './mails/sign-in-mails.ts';
import { invitationTokens } from './members/invitation.ts';
import { assignMemberPlaces } from './members/member-store.ts';
import { isOauthPath } from './oauth/metadata.ts';
// The collections of the authorization server, which is loaded later, have their indexes from the start.
import './oauth/store/client-store.ts';
import './oauth/store/interaction-store.ts';
import './oauth/store/rotating-keys.ts';
import { eraseDueOrganizations } from './organizations/erase-organization.ts';
import { onAccountAct } from './reactions/on-account-act.ts';
import { onAccountMail } from './reactions/on-account-mail.ts';
import { onAudited } from './reactions/on-audited.ts';
import { onCurrencyChanged } from './reactions/on-currency-changed.ts';
import { onMemberInvited } from './reactions/on-member-invited.ts';
import { onOrganizationErased } from './reactions/on-organization-erased.ts';
import { onRequestsAnswered } from './reactions/on-requests-answered.ts';
import { serveIdentity } from './server.ts';
import { knownDevices } from './sign-in/attempts/known-devices.ts';
import { createAuth } from './sign-in/auth.ts';
import { loadAuthKeys } from './sign-in/auth-keys.ts';
import { resigning } from './sign-in/cookies.ts';
import { authListener } from './sign-in/http/auth-listener.ts';
import { authRequests } from './sign-in/http/auth-requests.ts';
import { errorResponse, send } from './sign-in/http/responses.ts';
import { usePasswordCost } from './sign-in/password.ts';
import { passwordLinks } from './sign-in/password-link.ts';
import { keepFactorsResealed } from './sign-in/tables/second-factor-table.ts';

async function start(config: IdentityConfig, onWaiting: (reason: string) => void): Promise<RunningService> {
  const { ORIGIN: origin, AUTH_SECRET: secrets } = config;
  usePasswordCost(config.PASSWORD_COST);
  await connectStoreOf('identity', config);
  await prepareStore('identity', config, { migrations, onWaiting });
  const authKeys = await loadAuthKeys(secrets);
  await connectEvents(config.NATS_URL, 'identity', eventsOptions(config));
  const admission = new MailAdmission(authKeys, recipientLimits(config), config);
  const mailer = mailerFor(config, ({ messageId, to, ...mail }) => admission.admit({ ...mail, id: messageId, recipient: to.address }));
  const accountMails = new AccountMailStore(secrets);
  const mails = new SignInMails({ store: accountMails, origin });
  watchOrgPolicies('identity', config);
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
  onCurrencyChanged();
  onMemberInvited({ tokens: invitationTokens(secrets), mailer, from: config.MAIL_FROM, origin });
  onAccountAct({ mailer, from: config.MAIL_FROM, origin });
  const auth = createAuth({ origin, secrets, hashOf: keyHash(config.KEY_PEPPER), mails });
  const requests = authRequests({ auth, mails, devices: knownDevices(secrets), resigning: resigning(secrets), origin });
  const signIn = authListener(requests, origin);
  const oauth = oauthAtFirstUse({
    ...{ origin, secrets, hashOf: keyHash(config.KEY_PEPPER), requests, outboundRules: outboundRules(config) },
    maxUnusedClients: config.OAUTH_MAX_UNUSED_CLIENTS,
  });
  const http = createHttpServer(
    (request, response) => (isOauthPath(request.url) ? oauth.listener : signIn)(request, response),
    processTls(),
  );
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(config.HTTP_PORT, config.BIND_ADDRESS, resolve));
  const verifier = createVerifier({ service: 'identity', trustedKeys: config.PRINCIPAL_TRUSTED_KEYS });
  const server = await serveIdentity({ ...config, verifier, authKeys, passwordLink: passwordLinks(auth, origin) }, admission);
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

type StartOauth = typeof import('./oauth/http/start-oauth.ts').startOauth;

/** The authorization server. An agent's first request loads it, with a library that takes a tenth of the process. */
function oauthAtFirstUse(options: Parameters<StartOauth>[0]): Awaited<ReturnType<StartOauth>> {
  let started: ReturnType<StartOauth> | undefined;
  const start = async () => (await import('./oauth/http/start-oauth.ts')).startOauth(options);
  return {
    listener(request, response) {
      started ??= start();
      started.then(
        ({ listener }) => listener(request, response),
        (error: unknown) => {
          // The next request tries again.
          started = undefined;
          if (!(error instanceof AppError)) logger.error({ err: error }, 'the authorization server did not start');
          send(response, errorResponse(error, String(request.headers['x-webkiln-request-id'] ?? '')));
        },
      );
    },
    async stop() {
      await (await started?.catch(() => undefined))?.stop();
    },
  };
}

/** Changes of stored documents that `migrate` makes beyond those of their models. */
const migrations: readonly Migration[] = [
  { name: 'places of keys', run: assignKeyPlaces },
  { name: 'places of members', run: assignMemberPlaces },
  { name: 'places of embed clients', run: assignEmbedClientPlaces },
];

await runService('identity', IdentityConfig, start, migrateCommand('identity', migrations));
