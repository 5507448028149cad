import { consume, consumerOf } from '@webkiln/events';
import { mailConsumption } from '@webkiln/mail';
import { projectUnlessDeleted } from '../forms/project-for.ts';
import { asService, type FormMails } from '../forms/recipients/form-mails.ts';

/** Asks the address that form mails are to go to. Retries reuse the Message-ID. */
export function onFormRecipient(mails: FormMails): void {
  consume({
    ...consumerOf('sites-form-recipient'),
    ...mailConsumption,
    atLeastOnceHandler: async (event) => {
      const project = await projectUnlessDeleted(asService(event.org_id), event.data.project_id);
      if (project !== null) await mails.ask(event, project);
    },
  });
}
