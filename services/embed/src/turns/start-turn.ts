import { AppError } from '@webkiln/contract';
import { type IncomingCaller, onBehalf } from '@webkiln/messages';
import { call, handle } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { openCreditAccount, type Paying } from '../credits/credit-account.ts';
import { capsOf } from '../credits/credit-caps.ts';
import { reserveCredits } from '../credits/reservation.ts';
import { modelForMessage } from '../models/org-models-store.ts';
import type { Models } from '../providers/models.ts';
import { insertTurn } from './insert-turn.ts';
import type { TurnRunner } from './run/turn-runner.ts';
import type { Turn } from './turn.ts';
import { turnById, turnsOfToday } from './turn-store.ts';

/** Messages a day of a client without a plan. */
const defaultDailyMessages = 5;

/** Answers when the turn is admitted; it goes on without the caller. */
export const startTurn = (runner: TurnRunner, models: Models, signUpCredits: number) =>
  handle('embed.StartTurn', async ({ project_id, message, model, attachments }, caller) => {
    const { org_id, user_id } = caller.principal;
    await call('projects.GetProject', { project_id }, onBehalf('embed', caller));
    const _id = newId(caller);
    // A retry of a request whose answer was lost.
    if ((await turnById({ org_id }, _id)) !== null) return { turn_id: _id };
    const chosen = await modelForMessage(models, caller, model);
    const client_id = caller.principal.client_id ?? null;
    if (client_id !== null) await assertMessagesLeft(caller, client_id);
    // Every turn ends with the balance, also one that costs nothing.
    await openCreditAccount(org_id, signUpCredits);
    const wanted = { _id, org_id, project_id, client_id, message };
    const turn = await insertTurn(caller, wanted, chosen === undefined ? undefined : await reserver(caller));
    const images = (attachments ?? []).map(({ media_type, data }) => ({ mediaType: media_type, data: Buffer.from(data, 'base64') }));
    runner.begin(turn, { attachments: images, model: chosen?.id, userId: user_id });
    return { turn_id: _id };
  });

/** Turns of models are paid for. */
async function reserver(caller: IncomingCaller) {
  const caps = await capsOf(caller);
  return (tenant: Paying, turn: Pick<Turn, '_id' | 'project_id'>) => reserveCredits(tenant, turn, caps);
}

/** The plan of the client limits its messages of a day (UTC). */
async function assertMessagesLeft(caller: IncomingCaller, client_id: string): Promise<void> {
  const admitted = await call('clients.AdmitClientUser', { client_id }, onBehalf('embed', caller));
  const limit = admitted.max_ai_messages_daily ?? defaultDailyMessages;
  if ((await turnsOfToday({ org_id: caller.principal.org_id }, client_id)) < limit) return;
  throw new AppError('daily_messages_reached', [{ path: 'message', message: `the plan allows ${limit} messages a day` }]);
}
