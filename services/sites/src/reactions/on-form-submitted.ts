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

/** Mails each submission to whom the project's settings name: at least once, under one Message-ID. */
export function onFormSubmitted({ mailer, from }: Parts): void {
  consume({
    name: 'sites-form-mail',
    types: ['form.submitted'],
    atOnce: 2,
    act: async (event) => {
      const address = await notifiedAddress(event);
      if (address === null) return;
      const { form, project } = event.data;
      await mailer.send(submissionMail(form, project, { from, to: { name: '', address }, mailId: event.id }));
    },
  });
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
    const { client } = await call(
      'clients.GetClient',
      { client_id },
      callerFor(servicePrincipal('sites', org_id), { timeoutMs: askTimeoutMs }),
    );
    return client?.email ?? null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'client_not_found') return null;
    throw error;
  }
}
