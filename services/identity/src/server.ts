import { deadLetterUseCases } from '@webkiln/events/dead-letters';
import { serve, type Verifier } from '@webkiln/rpc';
import { sealedOutcomes } from '@webkiln/sealing';
import type { QuotaSettings } from '@webkiln/standing/settings';
import { idempotencyGuard } from '@webkiln/store';
import { accountUseCases } from './accounts/index.ts';
import { auditUseCases } from './audit/index.ts';
import type { IdentityConfig } from './config.ts';
import { embedClientUseCases } from './embed-clients/index.ts';
import { invitationUseCases } from './invitations/index.ts';
import { invitationTokens } from './invitations/invitation-token.ts';
import { keyUseCases } from './keys/index.ts';
import { keyOutcomes } from './keys/key-outcomes.ts';
import { keyHash } from './keys/key-secret.ts';
import { admitMail } from './mail-limits/admit-mail.ts';
import type { MailAdmission } from './mail-limits/mail-admission.ts';
import { memberUseCases } from './members/index.ts';
import { organizationUseCases } from './organizations/index.ts';
import { passkeyUseCases } from './passkeys/index.ts';
import { requestUseCases } from './requests/index.ts';
import { sessionUseCases } from './sessions/index.ts';
import { standingUseCases } from './standing/index.ts';
import { userUseCases } from './users/index.ts';

type Settings = Pick<IdentityConfig, 'KEY_PEPPER' | 'AUTH_SECRET' | 'BIND_ADDRESS' | 'GRPC_PORT'> & {
  readonly verifier: Verifier;
} & QuotaSettings;

/** Serves identity's RPCs. The store and the event stream must be connected. */
export const serveIdentity = (
  { KEY_PEPPER, AUTH_SECRET, verifier, BIND_ADDRESS, GRPC_PORT, ...settings }: Settings,
  admission: MailAdmission,
) =>
  serve({
    service: 'identity',
    useCases: [
      ...organizationUseCases,
      ...standingUseCases(settings),
      ...memberUseCases,
      ...invitationUseCases(invitationTokens(AUTH_SECRET)),
      ...accountUseCases,
      ...userUseCases,
      ...sessionUseCases(keyHash(KEY_PEPPER)),
      ...passkeyUseCases,
      ...keyUseCases(keyHash(KEY_PEPPER)),
      ...embedClientUseCases(keyHash(KEY_PEPPER)),
      ...auditUseCases,
      ...requestUseCases,
      admitMail(admission),
      ...deadLetterUseCases,
    ],
    verifier,
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    interceptor: sealedOutcomes(idempotencyGuard, keyOutcomes(KEY_PEPPER)),
  });
