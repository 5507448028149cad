import { Email, type Project, type SubmittedForm } from '@webkiln/contract';
import { type Mail, type Mailbox, messageIdFor } from '@webkiln/mail';

interface Envelope {
  readonly from: Mailbox;
  readonly to: Mailbox;
  /** Unlike that of any other mail, and the same on every repeat. */
  readonly mailId: string;
}

/** The mail that tells of a submission, in plain text alone: nothing that a visitor wrote is read as anything else. */
export function submissionMail(form: SubmittedForm, project: Project, { from, to, mailId }: Envelope): Mail {
  const fields = Object.entries(form.fields).map(([name, value]) => `${name}:\n${[value].flat().join('\n')}`);
  const page = `${project.published_url?.replace(/\/$/, '') ?? ''}${form.page}`;
  return {
    messageId: messageIdFor(`form.${mailId}`, from),
    date: new Date(form.submitted_at),
    from,
    to,
    replyTo: submitterOf(form),
    subject: `${project.name}: ${form.name}`,
    text: [...fields, `Sent from ${page}`].join('\n\n'),
  };
}

/** Who is to be answered, where the form has a field "email" with one address in it. */
function submitterOf({ fields }: SubmittedForm): Mailbox | undefined {
  const own = Object.entries(fields).find(([name]) => name.toLowerCase() === 'email');
  const { success, data } = Email.safeParse(own?.[1]);
  return success ? { name: '', address: data } : undefined;
}
