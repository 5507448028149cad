import * as z from 'zod';
import { CreatedAt, Deleted, Email, RecordId, Timestamp, Total, text } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { MemberRole, managers, managing, Role } from './members.ts';
import { Organization } from './organization.ts';

export const Invitation = z
  .object({
    id: RecordId,
    email: Email.describe('Where the invitation was sent, and the address that the account must have'),
    role: MemberRole,
    created_at: CreatedAt,
    expires_at: Timestamp.describe('Until when its link works, ISO 8601 in UTC'),
  })
  .meta({ id: 'Invitation', description: 'A person who was asked to work in the organization' });

export const listInvitations = defineOperation({
  ...managing,
  method: 'GET',
  path: '/account/invitations',
  summary: 'List who was invited and has not come yet, newest first',
  description: 'Those whose link has expired are not in it: invite the person again.',
  permission: 'read',
  roles: managers,
  rpc: 'accounts.ListInvitations',
  output: z.object({
    invitations: z.array(Invitation).describe('The open invitations, newest first; empty if there are none'),
    total: Total,
  }),
  success: 200,
  errors: [],
});

export const inviteMember = defineOperation({
  ...managing,
  method: 'POST',
  path: '/account/invitations',
  summary: 'Invite a person by mail to work in the organization; the link works for 7 days',
  description: 'An admin may invite to every role but owner. The person needs an account with this address, and makes one by the link.',
  permission: 'write',
  roles: managers,
  rpc: 'accounts.InviteMember',
  input: z.strictObject({
    email: Email.describe('The address of the person'),
    role: MemberRole.describe('The role that the person will have; nobody invites to a role above the own one'),
  }),
  output: z.object({ invitation: Invitation }),
  success: 201,
  etag: false,
  errors: ['member_exists', 'quota_exceeded'],
});

export const resendMemberInvitation = defineOperation({
  ...managing,
  method: 'POST',
  path: '/account/invitations/{invitationId}/resend',
  summary: 'Mail an invitation again; its link works for 7 days from now',
  description: 'The link that was sent before stops working.',
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
  ...managing,
  method: 'DELETE',
  path: '/account/invitations/{invitationId}',
  summary: 'Take an invitation back: its link stops working',
  description: 'The person is not told.',
  permission: 'write',
  roles: managers,
  rpc: 'accounts.WithdrawInvitation',
  output: Deleted,
  success: 200,
  etag: false,
  errors: ['invitation_not_found'],
});

export const acceptInvitation = defineOperation({
  tag: 'Account',
  credential: 'session',
  method: 'POST',
  path: '/account/invitations/accept',
  summary:
    'Accept an invitation by the token of its link; it must have been sent to the address of the account that is signed in, by a member who may still invite to its role',
  description: 'An invitation works once.',
  permission: 'write',
  roles: 'anyone',
  rpc: 'accounts.AcceptInvitation',
  input: z.strictObject({ token: text(500).describe('As the link in the mail has it, in `token`') }),
  output: z.object({ organization: Organization, role: Role }),
  success: 200,
  etag: false,
  errors: ['invitation_not_found', 'other_address', 'organization_suspended', 'inviter_not_allowed', 'member_exists'],
});
