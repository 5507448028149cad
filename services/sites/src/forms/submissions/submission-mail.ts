import { Email, type Language, type Project, type SubmittedForm } from '@webkiln/contract';
import { type Mail, type Mailbox, messageIdFor, plainName } from '@webkiln/mail';
import type { IncomingReply } from '@webkiln/rpc';
import { texts } from '../../texts.ts';

interface Envelope {
  readonly org_id: string;
  readonly from: Mailbox;
  /** The organization's brand, as its clients see it. */
  readonly brand: Pick<NonNullable<IncomingReply<'identity.GetBrand'>['brand']>, 'sender_name'>;
  readonly language: Language;
  readonly address: string;
  /** The page where the recipient ends these mails. */
  readonly url: string;
  /** Unique per mail and stable across retries. */
  readonly mailId: string;
}

/**
 * The notification of a submission. It is plain text only, so that nothing a visitor wrote is interpreted as markup.
 */
export function submissionMail(
  form: SubmittedForm,
  project: Project,
  { org_id, from, brand, language, address, url, mailId }: Envelope,
): Mail {
  const t = texts[language].submission;
  const fields = Object.entries(form.fields).map(([name, value]) => `${name}:\n${[value].flat().join('\n')}`);
  const page = `${project.published_url?.replace(/\/$/, '') ?? ''}${form.page}`;
  return {
    org_id,
    purpose: 'form',
    messageId: messageIdFor(`form.${mailId}`, from),
    date: new Date(form.submitted_at),
    from: { name: plainName(brand.sender_name), address: from.address },
    to: { name: '', address },
    unsubscribeUrl: url,
    replyTo: replyAddress(form),
    subject: `${plainName(project.name)}: ${plainName(form.subject ?? form.name)}`,
    text: [...fields, t.sentFrom({ page }), `${t.unsubscribe}\n${url}`].join('\n\n'),
  };
}

/** The Reply-To address: the form's field "reply_to", else "email", if it holds exactly one valid address. */
function replyAddress({ fields }: SubmittedForm): Mailbox | undefined {
  const named = (wanted: string) => Object.entries(fields).find(([name]) => name.toLowerCase() === wanted)?.[1];
  const { success, data } = Email.safeParse(named('reply_to') ?? named('email'));
  return success ? { name: '', address: data } : undefined;
}
