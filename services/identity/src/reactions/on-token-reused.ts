import { consume, consumerOf } from '@webkiln/events';
import { accountMailConsumption, plainName } from '@webkiln/mail';
import { organizationById } from '../organizations/organization-store.ts';
import { type AccountNoticeSender, sendAccountNotice } from './account-notice.ts';

/** Mails a person that a token of its agent was used twice: at least once, under one Message-ID. */
export function onTokenReused(sender: AccountNoticeSender): void {
  consume({
    ...consumerOf('identity-agent-mail'),
    ...accountMailConsumption,
    concerns: ({ data: { action } }) => action === 'agent.token_reused',
    atLeastOnceHandler: async ({ id, timestamp, org_id, data: { actor, target } }) => {
      const organization = plainName((await organizationById(org_id))?.name ?? '');
      const agent = plainName(target.name ?? '');
      await sendAccountNotice(sender, {
        ...{ id, timestamp, account_id: actor.id },
        // Others can cause it: it must not use up the notices that only the recipient can.
        isRecipients: false,
        subject: `A token of ${agent} was used twice`,
        paragraphs: [
          `A token with which ${agent} acts for you in ${organization} was used twice, so somebody else may have a copy. This access has ended.`,
          'If you use this agent, connect it again. If not, disconnect it in the dashboard.',
        ],
        link: { label: 'See your agents', url: `${sender.origin}/agents` },
      });
    },
  });
}
