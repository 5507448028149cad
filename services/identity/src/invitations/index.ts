import type { MailAdmission } from '../mail-limits/mail-admission.ts';
import { acceptInvitation } from './accept-invitation.ts';
import type { InvitationTokens } from './invitation-token.ts';
import { inviteMember } from './invite-member.ts';
import { listInvitations } from './list-invitations.ts';
import { withdrawInvitation } from './withdraw-invitation.ts';

export const invitationUseCases = (tokens: InvitationTokens, mails: MailAdmission) => [
  listInvitations,
  inviteMember(mails),
  withdrawInvitation,
  acceptInvitation(tokens),
];
