import { acceptInvitation } from './accept-invitation.ts';
import { getInvitation } from './get-invitation.ts';
import type { InvitationTokens } from './invitation-token.ts';
import { resendInvitation } from './resend-invitation.ts';

export const invitationUseCases = (tokens: InvitationTokens) => [resendInvitation, getInvitation(tokens), acceptInvitation(tokens)];
