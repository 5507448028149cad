import { AppError, type EventEnvelope } from '@webkiln/contract';
import { consume } from '@webkiln/events';
import type { Mailbox, Mailer } from '@webkiln/mail';
import { call, callerFor, servicePrincipal } from '@webkiln/rpc';
import { settingsOf } from '../forms/form-settings-store.ts';
import { submissionMail } from '../forms/submission-mail.ts';

const askTimeoutMs = 5_000;

interface Parts {
  mailer: Mailer;
  from: Mailbox;
}

/** Mails each submission to whom the project's settings name, in the name of the organization: at least once, under one Message-ID. */
export function onFormSubmitted({ mailer, from }: Parts): void {
  consume({
    name: 'sites-form-mail',
    types: ['form.submitted'],
    atOnce: 2,
    act: async (event) => {
      const address = await notifiedAddress(event);
      if (address === null) return;
      const { form, project } = event.data;
      const sender = { name: await senderName(event.org_id), address: from.address };
      await mailer.send(submissionMail(form, project, { from: sender, to: { name: '', address }, mailId: event.id }));
    },
  });
}

const asking = (org_id: string) => callerFor(servicePrincipal('sites', org_id), { timeoutMs: askTimeoutMs });

/** Whom mails to the organization's clients come from. */
async function senderName(org_id: string): Promise<string> {
  const { brand } = await call('identity.GetBrand', {}, asking(org_id));
  if (!brand) throw new AppError('organization_not_found');
  return brand.sender_name;
}

/** Null where nobody is to be told. */
async function notifiedAddress({ org_id, data: { project } }: EventEnvelope<'form.submitted'>): Promise<string | null> {
  const { notify, notification_email } = await settingsOf({ org_id }, project);
  if (!notify) return null;
  if (notification_email !== null) return notification_email;
  return project.org_client_id === null ? null : clientAddress(org_id, project.org_client_id);
}

async function clientAddress(org_id: string, client_id: string): Promise<string | null> {
  try {
    const { client } = await call('clients.GetClient', { client_id }, asking(org_id));
    return client?.email ?? null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'client_not_found') return null;
    throw error;
  }
}
