import { onBehalf } from '@webkiln/messages';
import { call, handle } from '@webkiln/rpc';
import { openCreditAccount } from '../credits/credit-account.ts';
import { messagesOf } from './turn.ts';
import { latestTurns } from './turn-store.ts';

const shownTurns = 100;

export const listChatMessages = (signUpCredits: number) =>
  handle('embed.ListChatMessages', async ({ project_id }, caller) => {
    await call('projects.GetProject', { project_id }, onBehalf('embed', caller));
    const { org_id } = caller.principal;
    const turns = await latestTurns({ org_id }, project_id, shownTurns);
    const messages = turns.flatMap(messagesOf);
    return { messages, total: messages.length, balance: (await openCreditAccount(org_id, signUpCredits)).balance };
  });
