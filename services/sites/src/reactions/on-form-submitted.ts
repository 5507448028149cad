import { consume, consumerOf } from '@webkiln/events';
import { mailConsumption } from '@webkiln/mail';
import type { FormMails } from '../forms/recipients/form-mails.ts';

/** Mails each submission to its project's recipient. Retries reuse the Message-ID. */
export function onFormSubmitted(mails: FormMails): void {
  consume({ ...consumerOf('sites-form-mail'), ...mailConsumption, atLeastOnceHandler: (event) => mails.notify(event) });
}
