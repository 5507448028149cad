import { AppError, knownLanguage, type Language, type Project } from '@webkiln/contract';
import { brandedMail, type Mail, type Mailbox, type Mailer, messageIdFor, plainName } from '@webkiln/mail';
import { type Caller, type EventEnvelope, serviceCaller } from '@webkiln/messages';
import { call, type IncomingReply } from '@webkiln/rpc';
import { texts } from '../../texts.ts';
import { settingsOf } from '../settings/form-settings-store.ts';
import { submissionMail } from '../submissions/submission-mail.ts';
import { type Consent, consentOf, consentUrl, isOfJoined, type Recipient, recipientOf } from './recipient.ts';

interface Options {
  readonly mailer: Mailer;
  readonly from: Mailbox;
  /** The platform's public URL, without a trailing slash. */
  readonly origin: string;
}

/** Mails what visitors sent to those who agreed to it, and asks the others once. */
export class FormMails {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Mails a submission, in the organization's name. A recipient who was never asked is asked instead. */
  async notify({ id, org_id, timestamp, data: { form, project } }: EventEnvelope<'form.submitted'>): Promise<void> {
    const { from, origin } = this.#options;
    const settings = await settingsOf({ org_id }, project);
    const recipient = settings.notify ? await recipientOf(asService(org_id), project, settings) : null;
    if (recipient === null) return;
    const consent = await consentOf(asService(org_id), recipient);
    if (consent.state === 'unasked') await this.#sendConfirmation(project, recipient, consent, { id, org_id, timestamp });
    if (consent.state !== 'agreed') return;
    const envelope = {
      org_id,
      from,
      ...(await brandFor(org_id, recipient.address)),
      address: recipient.address,
      url: consentUrl(origin, consent),
      mailId: id,
    };
    await this.#send(project, submissionMail(form, project, envelope));
  }

  /** Asks the project's recipient whether it wants the mails; with `again`, also if it was asked before. */
  async ask(event: EventEnvelope<'internal.form.recipient'>, project: Project): Promise<void> {
    const { org_id } = event;
    const recipient = await recipientOf(asService(org_id), project, await settingsOf({ org_id }, project));
    if (recipient === null) return;
    const consent = await consentOf(asService(org_id), recipient);
    const canAsk = consent.state === 'unasked' || (consent.state === 'asked' && event.data.again);
    if (canAsk) await this.#sendConfirmation(project, recipient, consent, event);
  }

  async #sendConfirmation(
    project: Project,
    { address }: Recipient,
    consent: Consent,
    { id, org_id, timestamp }: Pick<EventEnvelope, 'id' | 'org_id' | 'timestamp'>,
  ): Promise<void> {
    const { from, origin } = this.#options;
    const sender = { org_id, ...(await brandFor(org_id, address)), from, origin };
    const envelope = { address, url: consentUrl(origin, consent), mailId: id, date: new Date(timestamp) };
    await this.#send(project, confirmationMail(project, sender, envelope));
  }

  async #send(project: Project, mail: Mail): Promise<void> {
    await this.#options.mailer.send({ ...mail, isOfJoined: await isOfJoined(asService(mail.org_id), project) });
  }
}

/** The organization's brand, with the language of its mails to this address. */
export async function brandFor(org_id: string, recipient: string) {
  const { brand, language } = await call('identity.GetBrand', { recipient }, asService(org_id));
  if (!brand) throw new AppError('organization_not_found');
  return { brand, language: knownLanguage(language) };
}

const confirmationDays = 7;

interface Sender {
  readonly org_id: string;
  readonly brand: NonNullable<IncomingReply<'identity.GetBrand'>['brand']>;
  readonly language: Language;
  readonly from: Mailbox;
  /** The platform's public URL, without a trailing slash. */
  readonly origin: string;
}

interface Envelope {
  readonly address: string;
  readonly url: string;
  /** Unique per mail and stable across retries. */
  readonly mailId: string;
  readonly date: Date;
}

/** Asks the owner of an address whether form mails may go to it. */
function confirmationMail(
  project: Project,
  { org_id, brand, language, from, origin }: Sender,
  { address, url, mailId, date }: Envelope,
): Mail {
  const agency = plainName(brand.name);
  const t = texts[language].confirmation;
  const template = {
    language,
    paragraphs: [t.text({ agency, project: plainName(project.name) })],
    link: { label: t.button, url },
    closing: [t.closing({ count: confirmationDays })],
  };
  return {
    org_id,
    purpose: 'consent',
    ...brandedMail(brand, from, origin, template),
    messageId: messageIdFor(`consent.${mailId}`, from),
    date,
    to: { name: '', address },
    subject: t.subject({ agency }),
  };
}

const timeoutMs = 5_000;

/** This service's own caller, in an organization. */
export const asService = (org_id: string): Caller => serviceCaller('sites', org_id, timeoutMs);
