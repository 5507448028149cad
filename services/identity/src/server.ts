import { serve, type Verifier } from '@webkiln/rpc';
import { sealedOutcomes } from '@webkiln/sealing';
import { maintenanceUseCases } from '@webkiln/standing';
import { idempotencyGuard } from '@webkiln/store';
import { accountUseCases } from './accounts/index.ts';
import { agentAccessUseCases } from './agent-access/index.ts';
import { auditUseCases } from './audit/index.ts';
import type { AuthKeys } from './auth-secret/auth-keys.ts';
import type { IdentityConfig } from './config.ts';
import { ErasedAddresses } from './deletion/erased-addresses.ts';
import { deletionUseCases } from './deletion/index.ts';
import { embedClientQuota } from './embed-clients/embed-client-store.ts';
import { embedClientUseCases } from './embed-clients/index.ts';
import { erasureUseCases } from './erasure/index.ts';
import { invitationUseCases } from './invitations/index.ts';
import { invitationTokens } from './invitations/invitation-token.ts';
import { keyUseCases } from './keys/index.ts';
import { keyOutcomes } from './keys/key-outcomes.ts';
import { keyQuota } from './keys/key-places.ts';
import { keyHash } from './keys/key-secret.ts';
import { mailConsentUseCases } from './mail-consents/index.ts';
import { MailConsents } from './mail-consents/mail-consents.ts';
import { mailLimitUseCases } from './mail-limits/index.ts';
import type { MailAdmission } from './mail-limits/mail-admission.ts';
import { mailQuota } from './mail-limits/organization-mail-store.ts';
import { memberUseCases } from './members/index.ts';
import { memberQuota } from './members/member-store.ts';
import { oauthUseCases } from './oauth/index.ts';
import { organizationUseCases } from './organizations/index.ts';
import { passkeyUseCases } from './passkeys/index.ts';
import { requestUseCases } from './requests/index.ts';
import { sessionUseCases } from './sessions/index.ts';
import { standingUseCases } from './standing/index.ts';
import type { StandingSettings } from './standing/standing.ts';
import { userUseCases } from './users/index.ts';

type Settings = Pick<IdentityConfig, 'KEY_PEPPER' | 'BIND_ADDRESS' | 'GRPC_PORT' | 'ERASE_AFTER_DAYS'> & {
  readonly verifier: Verifier;
  readonly authKeys: AuthKeys;
} & StandingSettings;

/** Serves identity's RPCs. The store and the event stream must be connected. */
export const serveIdentity = (
  { KEY_PEPPER, authKeys, verifier, BIND_ADDRESS, GRPC_PORT, ERASE_AFTER_DAYS, ...settings }: Settings,
  admission: MailAdmission,
) =>
  serve({
    service: 'identity',
    useCases: [
      ...organizationUseCases,
      ...agentAccessUseCases,
      ...standingUseCases(settings),
      ...erasureUseCases(ERASE_AFTER_DAYS),
      ...memberUseCases,
      ...invitationUseCases(invitationTokens(authKeys.secrets), admission),
      ...accountUseCases,
      ...deletionUseCases(new ErasedAddresses(authKeys)),
      ...userUseCases,
      ...sessionUseCases(keyHash(KEY_PEPPER)),
      ...passkeyUseCases,
      ...oauthUseCases(keyHash(KEY_PEPPER)),
      ...keyUseCases(keyHash(KEY_PEPPER)),
      ...embedClientUseCases(keyHash(KEY_PEPPER)),
      ...auditUseCases,
      ...requestUseCases,
      ...mailLimitUseCases(admission),
      ...mailConsentUseCases(new MailConsents(authKeys)),
      ...maintenanceUseCases(keyQuota, memberQuota, embedClientQuota, mailQuota),
    ],
    verifier,
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    interceptor: sealedOutcomes(idempotencyGuard, keyOutcomes(KEY_PEPPER)),
  });
