import type { Events } from '@webkiln/contract';
import { escapeHtml, type Mail, type Mailbox } from '@webkiln/mail';
import { invitationDays } from './invitation-token.ts';

/** The mail that brings a client the activation link; `date` is the time of the invitation. */
export function invitationMail(invited: Events['internal.client.invited'], link: string, from: Mailbox, date: Date): Mail {
  const greeting = invited.name === null ? 'Hello,' : `Hello ${invited.name},`;
  const offer = `${from.name} has invited you to an account where you can see and manage your website.`;
  const terms = `The link works for ${invitationDays} days and for you alone. If you did not expect this mail, you can ignore it.`;
  const anchor = `<p><a href="${escapeHtml(link)}">Activate your account</a></p>`;
  const body = [paragraph(greeting), paragraph(offer), anchor, paragraph(terms), paragraph(from.name)].join('\n');

  return {
    messageId: `<invitation.${invited.client_id}.${invited.invitation}@${from.address.split('@').at(-1)}>`,
    date,
    from,
    to: { address: invited.email, name: invited.name ?? '' },
    subject: `${from.name} has invited you`,
    text: [greeting, offer, `Activate your account:\n${link}`, terms, from.name].join('\n\n'),
    html: `<!doctype html>\n<html lang="en">\n<body>\n${body}\n</body>\n</html>\n`,
  };
}

const paragraph = (text: string) => `<p>${escapeHtml(text)}</p>`;
