import { AppError } from '@webkiln/contract';
import { type Caller, type IncomingCaller, onBehalf } from '@webkiln/messages';
import { call, handle } from '@webkiln/rpc';
import { isDuplicate, newId, scoped, type Tenant, where } from '@webkiln/store';
import { openCreditAccount, type Paying, payingTransaction } from '../credits/credit-account.ts';
import { capsOf } from '../credits/credit-caps.ts';
import { type Reservation, reserveCredits } from '../credits/reservation.ts';
import { assertProjectReadable } from '../drafts/project-draft.ts';
import { modelForMessage } from '../models/org-models-store.ts';
import type { Models } from '../providers/models.ts';
import { beginTurn, type Turn } from './turn.ts';
import type { TurnRunner } from './turn-runner.ts';
import { runningTurn, TurnModel, turnById, turnsOfToday } from './turn-store.ts';

/** The daily messages of a client without a plan. */
const defaultDailyMessages = 5;

/** Answers when the turn is admitted; it goes on without the caller. */
export const startTurn = (runner: TurnRunner, models: Models, signUpCredits: number) =>
  handle('embed.StartTurn', async ({ project_id, message, model, attachments }, caller) => {
    const { org_id, user_id } = caller.principal;
    await assertProjectReadable(project_id, caller);
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

/** Older turns of a project are deleted. */
const keptTurns = 200;
const maxAttempts = 5;

type Deadline = Pick<Caller, 'deadlineAt'>;
type Wanted = Pick<Turn, '_id' | 'org_id' | 'project_id' | 'client_id' | 'message'>;

/** Reserves what a turn may spend, in the transaction that inserts it; absent for turns that cost nothing. */
type Reserve = (tenant: Paying, turn: Wanted) => Promise<Reservation>;

/** Inserts the next turn of a project. Throws `turn_running`, with the other turn's id, or what `reserve` throws. */
async function insertTurn(caller: Deadline, wanted: Wanted, reserve?: Reserve): Promise<Turn> {
  const scope = { org_id: wanted.org_id };
  const { project_id } = wanted;
  for (let attempt = 1; ; attempt++) {
    const last = await scoped(TurnModel, scope).findOne({ project_id }, { fields: ['number'], sort: { number: -1 } });
    const free = { ...wanted, number: (last?.number ?? 0) + 1 };
    try {
      const turn = reserve === undefined ? await insertOne(scope, free) : await insertPaid(caller, free, reserve);
      await scoped(TurnModel, scope).deleteMany({ project_id, number: where({ $lte: turn.number - keptTurns }) });
      return turn;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      const running = await runningTurn(scope, project_id);
      if (running !== null) throw new AppError('turn_running', [{ path: 'turn_id', message: running._id }]);
      if (attempt === maxAttempts) throw new AppError('unavailable', [], { cause: error });
    }
  }
}

type Numbered = Wanted & Pick<Turn, 'number'>;

async function insertOne(scope: Tenant, numbered: Numbered, reservation: Reservation | null = null): Promise<Turn> {
  const turn = beginTurn({ ...numbered, reservation }, new Date());
  await scoped(TurnModel, scope).insert(turn);
  return turn;
}

/** The turn first: a project whose turn runs is refused for that, not for its credits. */
function insertPaid(caller: Deadline, numbered: Numbered, reserve: Reserve): Promise<Turn> {
  const insert = async (tenant: Paying) => {
    const turn = await insertOne(tenant, numbered);
    const reservation = await reserve(tenant, numbered);
    await scoped(TurnModel, tenant).updateOne({ _id: turn._id }, { $set: { reservation } });
    return { ...turn, reservation };
  };
  return payingTransaction(numbered.org_id, insert, caller);
}
