import { AppError } from '@webkiln/contract';
import { authorship, type Caller, dailyMessagesWithoutPlan, onBehalf } from '@webkiln/messages';
import { namingPlans, PlanLimitReached } from '@webkiln/org-policy';
import { call, handle } from '@webkiln/rpc';
import { isDuplicate, newId, scoped } from '@webkiln/store';
import { type Cap, type CreditCap, capOfDay, creditCapsOf, takeFromCap, usedOfCap } from '../credits/caps.ts';
import { openCreditAccount, type Paying, payingTransaction } from '../credits/credit-account.ts';
import { reserveCredits } from '../credits/reservation.ts';
import { assertPictures, assertProjectReadable } from '../drafts/project-draft.ts';
import { modelForMessage } from '../models/org-models-store.ts';
import type { Models } from '../providers/models.ts';
import { beginTurn, type Turn } from './turn.ts';
import type { TurnRunner } from './turn-runner.ts';
import { dropOldTurns, runningTurn, TurnModel, turnById } from './turn-store.ts';

/** Answers when the turn is admitted; it goes on without the caller. */
export const startTurn = (runner: TurnRunner, models: Models, signUpCredits: number) =>
  handle('embed.StartTurn', async ({ project_id, message, model, attachments, pictures }, caller) => {
    const { org_id, user_id } = caller.principal;
    await assertProjectReadable(project_id, caller);
    const _id = newId(caller);
    // A retry of a request whose answer was lost.
    if ((await turnById({ org_id }, _id)) !== null) return { turn_id: _id };
    await assertPictures(project_id, pictures ?? [], caller);
    const chosen = await modelForMessage(models, caller, model);
    const client_id = caller.principal.client_id ?? null;
    const client = client_id === null ? undefined : await call('clients.AdmitClientUser', { client_id }, onBehalf('embed', caller));
    const messages = client && capOfDay(`messages ${client_id}`, client.max_ai_messages_daily ?? dailyMessagesWithoutPlan);
    const credits = chosen === undefined ? undefined : await creditCapsOf(caller);
    // Every turn ends with the balance, also one that costs nothing.
    await openCreditAccount(org_id, signUpCredits);
    const counted = { messages, credits, forMember: user_id === undefined, isJoined: client?.joined_by_link === true };
    const insert = () => insertTurn(caller, { _id, org_id, project_id, client_id, message }, counted);
    const turn = await (client_id === null ? insert() : namingPlans({ service: 'embed', caller, client_id }, insert));
    const images = (attachments ?? []).map(({ media_type, data }) => ({ mediaType: media_type, data: Buffer.from(data, 'base64') }));
    runner.begin(turn, {
      ...{ attachments: images, pictures: pictures ?? [], model: chosen?.id, userId: user_id },
      ...authorship(caller),
    });
    return { turn_id: _id };
  });

const maxAttempts = 5;

type Deadline = Pick<Caller, 'deadlineAt'>;
type Wanted = Pick<Turn, '_id' | 'org_id' | 'project_id' | 'client_id' | 'message'>;

/** What a turn counts on. */
interface Counted {
  /** The plan of a client limits its messages of a day (UTC). */
  readonly messages: Cap | undefined;
  /** Undefined for turns that cost nothing: only models are paid for. */
  readonly credits: readonly CreditCap[] | undefined;
  /** A member of the organization sent the message. */
  readonly forMember: boolean;
  /** A client who joined by a link sent it. */
  readonly isJoined: boolean;
}

/**
 * Inserts the next turn of a project. Throws `turn_running`, with the other turn's id, `daily_messages_reached` or
 * `no_credit`.
 */
async function insertTurn(caller: Deadline, wanted: Wanted, counted: Counted): Promise<Turn> {
  const scope = { org_id: wanted.org_id };
  const { project_id } = wanted;
  for (let attempt = 1; ; attempt++) {
    const last = await scoped(TurnModel, scope).findOne({ project_id }, { fields: ['number'], sort: { number: -1 } });
    const free = { ...wanted, number: (last?.number ?? 0) + 1 };
    try {
      const turn = await payingTransaction(scope.org_id, (tenant) => insertCounted(tenant, free, counted), caller);
      await dropOldTurns(scope, project_id);
      return turn;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      const running = await runningTurn(scope, project_id);
      if (running !== null) throw new AppError('turn_running', [{ path: 'turn_id', message: running._id }]);
      if (attempt === maxAttempts) throw new AppError('unavailable', [], { cause: error });
    }
  }
}

/** The turn first: a project whose turn runs is refused for that, not for its messages or credits. */
async function insertCounted(
  tenant: Paying,
  numbered: Wanted & Pick<Turn, 'number'>,
  { messages, credits, forMember, isJoined }: Counted,
): Promise<Turn> {
  const turn = beginTurn({ ...numbered, reservation: null }, new Date());
  await scoped(TurnModel, tenant).insert(turn);
  if (messages !== undefined && (await takeFromCap(tenant, messages, 1)) === 0)
    throw new PlanLimitReached({ limit: 'max_ai_messages_daily', allowed: messages.limit, used: await usedOfCap(tenant, messages) });
  if (credits === undefined) return turn;
  const reservation = await reserveCredits(tenant, numbered, { caps: credits, forMember, isJoined });
  await scoped(TurnModel, tenant).updateOne({ _id: turn._id }, { $set: { reservation } });
  return { ...turn, reservation };
}
