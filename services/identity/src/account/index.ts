import type { InvitationTokens } from '../invitations/invitation-token.ts';
import type { KeyHash } from '../keys/key-secret.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { changeMember } from './change-member.ts';
import { createKey } from './create-key.ts';
import { endSession } from './end-session.ts';
import { getOrganization } from './get-organization.ts';
import { getSession } from './get-session.ts';
import { getUsage } from './get-usage.ts';
import { inviteMember } from './invite-member.ts';
import { listAudit } from './list-audit.ts';
import { listInvitations } from './list-invitations.ts';
import { listKeys } from './list-keys.ts';
import { listMembers } from './list-members.ts';
import { listPasskeys } from './list-passkeys.ts';
import { listRequests } from './list-requests.ts';
import { listSessions } from './list-sessions.ts';
import { openOrganization } from './open-organization.ts';
import { removeMember } from './remove-member.ts';
import { renamePasskey } from './rename-passkey.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { switchOrganization } from './switch-organization.ts';
import { updateOrganization } from './update-organization.ts';
import { withdrawInvitation } from './withdraw-invitation.ts';

/** What people do who are signed in. Who may is said by the contract's endpoints, and checked before any of these runs. */
export const peoplesUseCases = (hashOf: KeyHash, tokens: InvitationTokens) => [
  getSession,
  switchOrganization,
  openOrganization,
  listSessions,
  endSession,
  listPasskeys,
  renamePasskey,
  getOrganization,
  updateOrganization,
  listKeys,
  createKey(hashOf),
  rotateKey(hashOf),
  revokeKey,
  listMembers,
  changeMember,
  removeMember,
  listAudit,
  getUsage,
  listRequests,
  listInvitations,
  inviteMember,
  withdrawInvitation,
  acceptInvitation(tokens),
];
