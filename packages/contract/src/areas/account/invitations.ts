import * as z from 'zod';
import { Email, oneOf, Timestamp, Total, text, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { sessionRoles } from '../../http/roles.ts';
import { MemberRole, managers, people } from './members.ts';
import { Organization } from './organization.ts';

export const Invitation = z
  .object({ id: Uuid, email: Email, role: MemberRole, created_at: Timestamp, expires_at: Timestamp })
  .meta({ id: 'Invitation', description: 'A person who was asked to work in the organization' });

export const listInvitations = defineOperation({
  ...people,
  method: 'GET',
  path: '/account/invitations',
  summary: 'List who was invited and has not come yet, newest first',
  permission: 'read',
  roles: managers,
  rpc: 'accounts.ListInvitations',
  output: z.object({ invitations: z.array(Invitation), total: Total }),
  success: 200,
  errors: [],
});

export const inviteMember = defineOperation({
  ...people,
  method: 'POST',
  path: '/account/invitations',
  summary: 'Invite a person by mail to work in the organization; the link works for 7 days',
  permission: 'write',
  roles: managers,
  rpc: 'accounts.InviteMember',
  input: z.strictObject({ email: Email, role: MemberRole }),
  output: z.object({ invitation: Invitation }),
  success: 201,
  etag: false,
  errors: ['member_exists', 'quota_exceeded'],
});

export const resendMemberInvitation = defineOperation({
  ...people,
  method: 'POST',
  path: '/account/invitations/{invitationId}/resend',
  summary: 'Mail an invitation again; its link works for 7 days from now',
  permission: 'write',
  roles: managers,
  rpc: 'accounts.ResendInvitation',
  input: z.strictObject({}),
  output: z.object({ invitation: Invitation }),
  success: 200,
  etag: false,
  errors: ['invitation_not_found', 'quota_exceeded'],
});

export const withdrawInvitation = defineOperation({
  ...people,
  method: 'DELETE',
  path: '/account/invitations/{invitationId}',
  summary: 'Take an invitation back: its link stops working',
  permission: 'write',
  roles: managers,
  rpc: 'accounts.WithdrawInvitation',
  output: z.object({ deleted: z.boolean(), id: Uuid }),
  success: 200,
  etag: false,
  errors: ['invitation_not_found'],
});

export const acceptInvitation = defineOperation({
  ...people,
  method: 'POST',
  path: '/account/invitations/accept',
  summary:
    'Accept an invitation by the token of its link; it must have been sent to the address of the account that is signed in, by a member who may still invite to its role',
  permission: 'write',
  roles: 'anyone',
  rpc: 'accounts.AcceptInvitation',
  input: z.strictObject({ token: text(500) }),
  output: z.object({ organization: Organization, role: oneOf(sessionRoles) }),
  success: 200,
  etag: false,
  errors: ['invitation_not_found', 'other_address', 'organization_suspended', 'inviter_not_allowed', 'member_exists'],
});
