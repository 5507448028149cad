import { AppError } from '@webkiln/contract';
import { consume, consumerOf } from '@webkiln/events';
import { type Mailbox, type Mailer, mailConsumption, plainName } from '@webkiln/mail';
import type { EventEnvelope } from '@webkiln/messages';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { settingsOf } from '../forms/settings/form-settings-store.ts';
import { submissionMail } from '../forms/submissions/submission-mail.ts';

const rpcTimeoutMs = 5_000;

interface Options {
  mailer: Mailer;
  from: Mailbox;
}

/**
 * Mails each submission to the address in the project's settings, in the organization's name. Retries reuse the
 * Message-ID.
 */
export function onFormSubmitted({ mailer, from }: Options): void {
  consume({
    ...consumerOf('sites-form-mail'),
    ...mailConsumption,
    atLeastOnceHandler: async (event) => {
      const address = await notificationAddress(event);
      if (address === null) return;
      const { form, project } = event.data;
      const sender = { name: plainName(await senderName(event.org_id)), address: from.address };
      await mailer.send(submissionMail(form, project, { org_id: event.org_id, from: sender, to: { name: '', address }, mailId: event.id }));
    },
  });
}

const asService = (org_id: string) => callerFor(servicePrincipal('sites', org_id), { timeoutMs: rpcTimeoutMs });

/** The sender name of mails to the organization's clients. */
async function senderName(org_id: string): Promise<string> {
  const { brand } = await call('identity.GetBrand', {}, asService(org_id));
  if (!brand) throw new AppError('organization_not_found');
  return brand.sender_name;
}

/** Null if no mail is to be sent. */
async function notificationAddress({ org_id, data: { project } }: EventEnvelope<'form.submitted'>): Promise<string | null> {
  const { notify, notification_email } = await settingsOf({ org_id }, project);
  if (!notify) return null;
  if (notification_email !== null) return notification_email;
  return project.org_client_id === null ? null : clientAddress(org_id, project.org_client_id);
}

async function clientAddress(org_id: string, client_id: string): Promise<string | null> {
  try {
    const { client } = await call('clients.GetClient', { client_id }, asService(org_id));
    return client?.email ?? null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'client_not_found') return null;
    throw error;
  }
}
