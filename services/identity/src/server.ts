import { createVerifier, serve } from '@webkiln/rpc';
import { sealedOutcomes } from '@webkiln/sealing';
import { idempotencyGuard } from '@webkiln/store';
import { peoplesUseCases } from './account/index.ts';
import { accountUseCases } from './accounts/index.ts';
import { auditUseCases } from './audit/index.ts';
import type { IdentityConfig } from './config.ts';
import { embedClientUseCases } from './embed-clients/index.ts';
import { invitationTokens } from './invitations/invitation-token.ts';
import { keyUseCases } from './keys/index.ts';
import { keyOutcomes, showingSecrets } from './keys/key-outcomes.ts';
import { keyHash } from './keys/key-secret.ts';
import { memberUseCases } from './members/index.ts';
import { organizationUseCases } from './organizations/index.ts';
import { sessionUseCases } from './sessions/index.ts';
import { userUseCases } from './users/index.ts';

type Settings = Pick<IdentityConfig, 'KEY_PEPPER' | 'AUTH_SECRET' | 'PRINCIPAL_TRUSTED_KEYS' | 'BIND_ADDRESS' | 'GRPC_PORT'>;

/** Answers everything that identity does for others; the store and the events must be connected. */
export const serveIdentity = ({ KEY_PEPPER, AUTH_SECRET, PRINCIPAL_TRUSTED_KEYS, BIND_ADDRESS, GRPC_PORT }: Settings) =>
  serve({
    service: 'identity',
    useCases: [
      ...organizationUseCases,
      ...memberUseCases,
      ...accountUseCases,
      ...auditUseCases,
      ...userUseCases,
      ...sessionUseCases(keyHash(KEY_PEPPER)),
      ...keyUseCases(keyHash(KEY_PEPPER)),
      ...embedClientUseCases(keyHash(KEY_PEPPER)),
      ...peoplesUseCases(keyHash(KEY_PEPPER), invitationTokens(AUTH_SECRET)),
    ],
    verifier: createVerifier({ service: 'identity', trustedKeys: PRINCIPAL_TRUSTED_KEYS }),
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    around: sealedOutcomes(idempotencyGuard, showingSecrets, keyOutcomes(KEY_PEPPER)),
  });
