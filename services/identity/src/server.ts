import { maintenanceUseCases } from '@webkiln/org-policy';
import { serve, type Verifier } from '@webkiln/rpc';
import { sealedOutcomes } from '@webkiln/sealing';
import { idempotencyGuard } from '@webkiln/store';
import { ErasedAddresses } from './accounts/erased-addresses.ts';
import { accountUseCases } from './accounts/index.ts';
import { agentGuardUseCases } from './agent-guards/agent-guard-use-cases.ts';
import { agentSessionUseCases } from './agent-sessions/agent-session-use-cases.ts';
import { auditUseCases } from './audit/audit-use-cases.ts';
import type { IdentityConfig } from './config.ts';
import { embedClientQuota } from './embed-clients/embed-client-store.ts';
import { embedClientUseCases } from './embed-clients/embed-client-use-cases.ts';
import { keyHash, keyOutcomes } from './keys/key-secret.ts';
import { keyQuota } from './keys/key-store.ts';
import { keyUseCases } from './keys/key-use-cases.ts';
import type { MailAdmission } from './mails/mail-admission.ts';
import { mailUseCases } from './mails/mail-admission.ts';
import { MailConsents } from './mails/mail-consents.ts';
import { mailQuota } from './mails/mail-count-store.ts';
import { invitationTokens } from './members/invitation.ts';
import { invitationUseCases } from './members/invitation-use-cases.ts';
import { memberQuota } from './members/member-store.ts';
import { memberUseCases } from './members/member-use-cases.ts';
import { oauthUseCases } from './oauth/agent-use-cases.ts';
import { organizationUseCases } from './organizations/index.ts';
import type { OrgPolicySettings } from './organizations/org-policy.ts';
import { passkeyUseCases } from './passkeys/passkey-use-cases.ts';
import { requestUseCases } from './requests/request-use-cases.ts';
import { sessionUseCases } from './sessions/session-use-cases.ts';
import type { AuthKeys } from './sign-in/auth-keys.ts';
import type { PasswordLink } from './sign-in/password-link.ts';
import { userUseCases } from './users/user-use-cases.ts';

type Settings = Pick<IdentityConfig, 'KEY_PEPPER' | 'BIND_ADDRESS' | 'GRPC_PORT' | 'ERASE_AFTER_DAYS' | 'ORIGIN'> & {
  readonly verifier: Verifier;
  readonly authKeys: AuthKeys;
  readonly passwordLink: (accountId: string) => Promise<PasswordLink>;
} & OrgPolicySettings;

/** Serves identity's RPCs. The store and the event stream must be connected. */
export const serveIdentity = (
  { KEY_PEPPER, authKeys, passwordLink, verifier, BIND_ADDRESS, GRPC_PORT, ERASE_AFTER_DAYS, ORIGIN, ...settings }: Settings,
  admission: MailAdmission,
) =>
  serve({
    service: 'identity',
    useCases: [
      ...organizationUseCases(ERASE_AFTER_DAYS, settings, ORIGIN),
      ...memberUseCases,
      ...invitationUseCases(invitationTokens(authKeys.secrets), admission),
      ...accountUseCases(new ErasedAddresses(authKeys), passwordLink),
      ...userUseCases,
      ...sessionUseCases(keyHash(KEY_PEPPER)),
      ...passkeyUseCases,
      ...oauthUseCases(keyHash(KEY_PEPPER)),
      ...keyUseCases(keyHash(KEY_PEPPER)),
      ...embedClientUseCases(keyHash(KEY_PEPPER)),
      ...agentGuardUseCases,
      ...agentSessionUseCases,
      ...auditUseCases,
      ...requestUseCases,
      ...mailUseCases(admission, new MailConsents(authKeys)),
      ...maintenanceUseCases(keyQuota, memberQuota, embedClientQuota, mailQuota),
    ],
    verifier,
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    interceptor: sealedOutcomes(idempotencyGuard, keyOutcomes(KEY_PEPPER)),
  });
