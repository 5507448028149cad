import { consume } from '@webkiln/events';
import { escapeHtml, type Mailbox, type Mailer } from '@webkiln/mail';
import { invitationDays } from '../invitations/invitation.ts';
import { openInvitation } from '../invitations/invitation-store.ts';
import type { InvitationTokens } from '../invitations/invitation-token.ts';
import { organizationById } from '../organizations/organization-store.ts';

interface Parts {
  tokens: InvitationTokens;
  mailer: Mailer;
  from: Mailbox;
  /** The public address, without a slash at its end. */
  origin: string;
}

/** Mails each invitation: at least once, under one Message-ID. The link is made here, so that no event carries a secret. */
export function onMemberInvited({ tokens, mailer, from, origin }: Parts): void {
  consume({
    name: 'identity-member-invitation-mail',
    types: ['internal.member.invited'],
    atOnce: 2,
    act: async ({ id, org_id, timestamp, data: { invitation_id } }) => {
      // Withdrawn or accepted meanwhile: the link would be dead on arrival.
      const invitation = await openInvitation({ org_id }, invitation_id).catch(() => null);
      const organization = await organizationById(org_id);
      if (invitation === null || organization === null) return;
      const link = `${origin}/accept-invitation?token=${tokens.issue({ org_id, invitation_id })}`;
      const about = `${organization.name} has invited you to work with them on Webkiln, as ${invitation.role}.`;
      const terms = `Sign in, or sign up, with this address. The link works for ${invitationDays} days.`;
      await mailer.send({
        messageId: `<${id}@${from.address.split('@')[1]}>`,
        date: new Date(timestamp),
        from,
        to: { name: invitation.email, address: invitation.email },
        subject: `${organization.name} has invited you`,
        text: `Hello,\n\n${about}\n\n${link}\n\n${terms}\n`,
        html: `<p>Hello,</p>\n<p>${escapeHtml(about)}</p>\n<p><a href="${escapeHtml(link)}">Accept the invitation</a></p>\n<p>${terms}</p>\n`,
      });
    },
  });
}
