import { AppError, type ErrorCode, type PlanLimit, type PlanUse } from '@webkiln/contract';
import { type Caller, onBehalf } from '@webkiln/messages';
import { call, type IncomingReply } from '@webkiln/rpc';
import { Coalescer, logger } from '@webkiln/runtime';

interface Words {
  readonly code: ErrorCode;
  /** "3 sites are", or "downloads of the site are" for what is not counted. */
  readonly are: (count: number) => string;
  readonly isCounted: boolean;
  /** Follows what is used. */
  readonly until?: string;
}

const counted = (count: number, one: string, many: string) => (count === 1 ? `1 ${one} is` : `${count.toLocaleString('en')} ${many} are`);

const words: Readonly<Record<PlanLimit, Words>> = {
  max_sites: { code: 'plan_limit_reached', are: (count) => counted(count, 'site', 'sites'), isCounted: true },
  max_ai_messages_daily: {
    code: 'daily_messages_reached',
    are: (count) => counted(count, 'message a day', 'messages a day'),
    isCounted: true,
    until: ' today, until 00:00 UTC',
  },
  can_export_code: { code: 'export_not_allowed', are: () => 'downloads of the site are', isCounted: false },
  can_use_custom_domain: { code: 'custom_domain_not_allowed', are: () => 'custom domains are', isCounted: false },
};

/** What a plan's limit refused. `allowed` and `used` are 0 for what is not counted. */
interface Reached {
  readonly limit: PlanLimit;
  readonly allowed: number;
  readonly used: number;
}

/** A refusal that names no plan yet: the write that it ends must not wait for another service. See `namingPlans`. */
export class PlanLimitReached extends AppError {
  readonly reached: Reached;

  constructor(reached: Reached) {
    super(words[reached.limit].code);
    this.reached = reached;
  }
}

interface Asking {
  /** The service that refuses. */
  readonly service: 'projects-templates' | 'embed';
  readonly caller: Caller;
  readonly client_id: string;
}

/** Runs `work`. A `PlanLimitReached` of it names the client's plan and the cheapest one on offer that allows more. */
export async function namingPlans<R>(asking: Asking, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PlanLimitReached ? await named(error, asking) : error;
  }
}

/** A refusal that takes longer names no plan. */
const maxWaitMs = 2_000;
/** Equal questions at the same time are one, which no caller's disconnection ends. */
const questions = new Coalescer<IncomingReply<'clients.FindPlanAllowing'>>();

async function named(error: PlanLimitReached, { service, caller, client_id }: Asking): Promise<AppError> {
  const { limit, used, allowed } = error.reached;
  try {
    const { onCancel: _, ...asking } = onBehalf(service, caller);
    const deadlineAt = Math.min(caller.deadlineAt, Date.now() + maxWaitMs);
    const { plan_name, found: better } = await questions.ask(`${caller.principal.org_id} ${client_id} ${limit} ${used}`, () =>
      call('clients.FindPlanAllowing', { client_id, limit, used }, { ...asking, deadlineAt }),
    );
    const found = better ?? undefined;
    const message = refusalText(error.reached, { plan_name, found, isOwn: caller.principal.user_id !== undefined });
    const plan = found === undefined ? null : { id: found.id, name: found.name };
    const plan_limit = { limit, allowed, used: words[limit].isCounted ? used : null, plan };
    return new AppError(error.code, [{ path: '', message, plan_limit }]);
  } catch (err) {
    logger.warn({ err, client_id }, 'finding a plan that allows more failed; the refusal names none');
    return error;
  }
}

interface Plans {
  readonly plan_name: string | undefined;
  readonly found: { readonly name: string; readonly allowed: number } | undefined;
  /** The reader is the client itself. */
  readonly isOwn: boolean;
}

function refusalText({ limit, allowed, used }: Reached, { plan_name, found, isOwn }: Plans): string {
  const { are, isCounted, until = '' } = words[limit];
  const plan = plan_name === undefined ? 'Without a plan' : `With ${isOwn ? 'your' : "the client's"} plan ${plan_name}`;
  const refused = isCounted
    ? `${plan}, ${are(allowed)} allowed, and ${used.toLocaleString('en')} ${used === 1 ? 'is' : 'are'} used${until}`
    : `${plan}, ${are(0)} not included`;
  if (found === undefined) {
    const none = `no plan on offer ${isCounted ? 'allows more' : 'includes them'}`;
    return `${refused}; ${none}: ${isOwn ? 'ask your agency' : 'make one that does, or change one'}`;
  }
  const better = `the plan ${found.name} ${isCounted ? `allows ${found.allowed.toLocaleString('en')}` : 'includes them'}`;
  return `${refused}; ${better}: ${isOwn ? 'ask your agency for it' : 'give the client that one'}`;
}

/** What a plan allows and what is used, with a sentence where that is more. Null: without a limit, not counted. */
export function planUse(limit: PlanLimit, allowed: number | null, used: number | null, plan_name: string | undefined): PlanUse {
  const is_exceeded = allowed !== null && used !== null && used > allowed;
  const { are, isCounted } = words[limit];
  const plan = plan_name === undefined ? 'Without a plan' : `With the plan ${plan_name}`;
  const allows = isCounted ? `${are(allowed ?? 0)} allowed` : `${are(0)} not included`;
  const follows = `nothing is deleted, and no more can be added${isCounted ? ' until it fits' : ''}.`;
  const message = `${plan}, ${allows}, and the client has ${used?.toLocaleString('en')}: ${follows}`;
  return { limit, allowed, used, is_exceeded, message: is_exceeded ? message : null };
}
