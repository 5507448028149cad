import type { AuditAction } from '@webkiln/contract';
import { consume, consumerOf } from '@webkiln/events';
import { accountMailConsumption, plainName } from '@webkiln/mail';
import { type AccountNoticeSender, sendAccountNotice } from './account-notice.ts';

const subjects: Partial<Record<AuditAction, string>> = {
  'passkey.added': 'A passkey was added to your account',
  'passkey.removed': 'A passkey was removed from your account',
};

/** Mails the owner about each added or removed passkey: at least once, under one Message-ID. */
export function onPasskeyChanged(sender: AccountNoticeSender): void {
  consume({
    ...consumerOf('identity-passkey-mail'),
    ...accountMailConsumption,
    concerns: ({ data: { action } }) => action in subjects,
    atLeastOnceHandler: async ({ id, timestamp, data: { action, account_id, target } }) => {
      const subject = subjects[action];
      if (subject === undefined || account_id === undefined) return;
      await sendAccountNotice(sender, {
        ...{ id, timestamp, account_id, isRecipients: true, subject },
        paragraphs: [
          `${subject}: ${plainName(target.name ?? '')}.`,
          'If that was not you, change your password and look through your passkeys at once.',
        ],
        link: { label: 'Go to your account', url: `${sender.origin}/account` },
      });
    },
  });
}
