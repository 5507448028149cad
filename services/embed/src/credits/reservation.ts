import { AppError } from '@webkiln/contract';
import { joinedShareOf } from '@webkiln/messages';
import { type CreditCap, capOfDay, countOnCap, giveBackToCap, leftOfCap, usedOfCap } from './caps.ts';
import { addEntry, creditAccount, type Paying } from './credit-account.ts';
import { costOf, maxTurnCredits, minTurnCredits } from './credit-entry-store.ts';

/** The credits that a turn holds while it runs. */
export interface Reservation {
  readonly credits: number;
  /** The caps that it counts on. */
  readonly caps: readonly string[];
}

/** A turn as far as its payment goes. */
interface Paid {
  readonly _id: string;
  readonly project_id: string;
}

/** Who pays for a turn. */
interface Payer {
  readonly caps: readonly CreditCap[];
  /** A member of the organization sent the message. */
  readonly forMember: boolean;
  /** The client joined by a link: it has a share of the credits together with others who did. */
  readonly isJoined: boolean;
}

/**
 * Reserves what one turn may use at most, in the transaction that begins it. Throws `no_credit`, which tells the
 * balance only to a member of the organization.
 */
export async function reserveCredits(tenant: Paying, turn: Paid, { caps: given, forMember, isJoined }: Payer): Promise<Reservation> {
  const account = await creditAccount(tenant);
  const balance = account?.balance ?? 0;
  let credits = Math.min(balance, maxTurnCredits);
  if (credits < minTurnCredits && !forMember) throw noCredit('the agency has none left: ask it');
  if (credits < minTurnCredits) throw noCredit(`${balance} credits are left${heldText(account?.reserved)}: ask for more`);
  const caps = isJoined ? [...given, await shareOfJoined(tenant, balance)] : given;
  for (const cap of caps) {
    const left = await leftOfCap(tenant, cap);
    if (left < minTurnCredits) throw noCredit(cap.usedUp);
    credits = Math.min(credits, left);
  }
  for (const cap of caps) await countOnCap(tenant, cap, credits);
  await addEntry(tenant, { ...lineOf(turn, 'reserved'), amount: -credits }, { held: credits });
  return { credits, caps: caps.map(({ _id }) => _id) };
}

/**
 * What clients who joined by a link may use together on a day (UTC): a tenth of the balance, to which what they have
 * used counts. They are not told how much that is.
 */
async function shareOfJoined(tenant: Paying, balance: number): Promise<CreditCap> {
  const cap = capOfDay(`joined ${tenant.org_id}`, 0);
  const limit = joinedShareOf(balance + (await usedOfCap(tenant, cap)));
  return { ...cap, limit, usedUp: 'clients who joined by a link have used up what they may have of a day: ask the agency' };
}

const heldText = (reserved = 0) => (reserved === 0 ? '' : `, and ${reserved} are held by turns that are running`);

const noCredit = (message: string) => new AppError('no_credit', [{ path: 'credits', message }]);

/** The cost of a turn, and the balance that it leaves. */
export interface Receipt {
  readonly credits: number;
  readonly balance: number;
}

/** Charges the tokens of a turn and gives the rest back, in the transaction that ends it. */
export async function settleCredits(tenant: Paying, turn: Paid, { credits, caps }: Reservation, tokens: number): Promise<Receipt> {
  const cost = costOf(tokens, credits);
  const rest = credits - cost;
  const balance = await addEntry(tenant, { ...lineOf(turn, cost === 0 ? 'returned' : 'settled'), amount: rest }, { held: -credits });
  for (const cap of caps) await giveBackToCap(tenant, cap, rest);
  return { credits: cost, balance };
}

/** A turn has one line when it begins, and one when it ends: their ids make a second one impossible. */
const lineOf = ({ _id: turn_id, project_id }: Paid, kind: 'reserved' | 'settled' | 'returned') => ({
  ...{ _id: `${kind === 'reserved' ? 'begin' : 'end'}:${turn_id}`, kind, turn_id, project_id },
});
