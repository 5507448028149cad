import { consume, consumerOf } from '@webkiln/events';
import { type Mailbox, type Mailer, mailConsumption, messageIdFor, plainName, platformMail } from '@webkiln/mail';
import { mailLanguage } from '../mails/mail-admission.ts';
import { type InvitationTokens, invitationDays } from '../members/invitation.ts';
import { openInvitation } from '../members/invitation-store.ts';
import { organizationById } from '../organizations/organization-store.ts';
import { texts } from '../texts.ts';

interface Dependencies {
  tokens: InvitationTokens;
  mailer: Mailer;
  from: Mailbox;
  /** The public URL, without a trailing slash. */
  origin: string;
}

/**
 * Mails each invitation at least once, under one Message-ID. The link is signed here, so that no event carries a
 * secret.
 */
export function onMemberInvited({ tokens, mailer, from, origin }: Dependencies): void {
  consume({
    ...consumerOf('identity-member-invitation-mail'),
    ...mailConsumption,
    atLeastOnceHandler: async ({ id, org_id, timestamp, data: { invitation_id } }) => {
      // An invitation that was withdrawn or accepted meanwhile is not mailed: its link would not work.
      const invitation = await openInvitation({ org_id }, invitation_id).catch(() => null);
      const organization = await organizationById(org_id);
      if (invitation === null || organization === null) return;
      const link = `${origin}/accept-invitation?token=${tokens.issue({ org_id, invitation_id })}`;
      const inviting = { organization: plainName(organization.name) };
      const language = await mailLanguage(invitation.email, organization);
      const t = texts[language].invitation;
      const template = {
        language,
        paragraphs: [t.text({ ...inviting, role: t.roles[invitation.role] })],
        link: { label: t.button, url: link },
        closing: [t.closing({ count: invitationDays })],
      };
      await mailer.send({
        org_id,
        purpose: 'invitation',
        ...platformMail(from, template),
        messageId: messageIdFor(id, from),
        date: new Date(timestamp),
        to: { name: invitation.email, address: invitation.email },
        subject: t.subject(inviting),
      });
    },
  });
}
