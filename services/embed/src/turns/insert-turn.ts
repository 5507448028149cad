import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { isDuplicate, scoped, type Tenant, where } from '@webkiln/store';
import { type Paying, payingTransaction } from '../credits/credit-account.ts';
import type { Reservation } from '../credits/reservation.ts';
import { beginTurn, type Turn } from './turn.ts';
import { runningTurn, TurnModel } from './turn-store.ts';

/** Older turns of a project are deleted. */
const keptTurns = 200;
const maxAttempts = 5;

type Deadline = Pick<Caller, 'deadlineAt'>;
type Wanted = Pick<Turn, '_id' | 'org_id' | 'project_id' | 'client_id' | 'message'>;

/** Reserves what a turn may spend, in the transaction that inserts it; absent for turns that cost nothing. */
type Reserve = (tenant: Paying, turn: Wanted) => Promise<Reservation>;

/** Inserts the next turn of a project. Throws `turn_running`, with the other turn's id, or what `reserve` throws. */
export async function insertTurn(caller: Deadline, wanted: Wanted, reserve?: Reserve): Promise<Turn> {
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
