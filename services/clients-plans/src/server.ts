import { deadLetterUseCases } from '@webkiln/events/dead-letters';
import { createVerifier, serve } from '@webkiln/rpc';
import { idempotencyGuard } from '@webkiln/store';
import { clientUseCases } from './clients/index.ts';
import type { ClientsPlansConfig } from './config.ts';
import { invitationUseCases } from './invitations/index.ts';
import type { InvitationTokens } from './invitations/invitation-token.ts';
import { planUseCases } from './plans/index.ts';

type Settings = Pick<ClientsPlansConfig, 'PRINCIPAL_TRUSTED_KEYS' | 'BIND_ADDRESS' | 'GRPC_PORT'>;

/** Serves the RPCs for clients, invitations and plans. Store, event stream and peers must be connected. */
export const serveClientsPlans = ({ PRINCIPAL_TRUSTED_KEYS, BIND_ADDRESS, GRPC_PORT }: Settings, tokens: InvitationTokens) =>
  serve({
    service: 'clients-plans',
    useCases: [...clientUseCases, ...invitationUseCases(tokens), ...planUseCases, ...deadLetterUseCases],
    verifier: createVerifier({ service: 'clients-plans', trustedKeys: PRINCIPAL_TRUSTED_KEYS }),
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    interceptor: idempotencyGuard,
  });
