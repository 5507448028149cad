import { AppError } from '@webkiln/contract';
import { consume, consumerOf } from '@webkiln/events';
import { brandedMail, type EmailTemplate, type Mailbox, type Mailer, mailConsumption, messageIdFor, plainName } from '@webkiln/mail';
import { callerFor, type EventEnvelope, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { type BillingAccount, detailsOf, openOrdersOfClient, orderById, storedAccount, subscriptionOf } from '../billing/billing-store.ts';
import { cardOf, pricedPlan } from '../billing/change-billing.ts';
import { clock } from '../billing/clock.ts';
import { expiryDays, expiryOf } from '../billing/payments/provider.ts';
import { sumText, withTax } from '../billing/rules/money.ts';
import { invoiceUrl, type OrderState } from '../billing/rules/order.ts';
import { afterDays, dayText } from '../billing/rules/period.ts';
import type { Notice } from '../billing/rules/subscription.ts';
import { clientById } from '../clients/client-store.ts';

const timeoutMs = 5_000;

interface Dependencies {
  mailer: Mailer;
  from: Mailbox;
  /** The public URL, without a trailing slash. */
  origin: string;
}

/** Mails about what is to come, which lead to the client's own page. */
type Ahead = 'renewal_ahead' | 'card_expires';
/** Mails about an order, or about the end. */
type Told = Exclude<Notice, Ahead> | 'paid';

/** The texts of a mail, apart from its greeting. `sum` and `due` are written out. */
interface Words {
  readonly subject: string;
  readonly paragraph: string;
  readonly label?: string;
}

const wordsOf: Readonly<Record<Told, (agency: string, sum: string, due: string) => Words>> = {
  order_opened: (agency, sum, due) => ({
    subject: `Your invoice from ${agency}`,
    paragraph: `Here is your invoice of ${sum}. It is due on ${due}.`,
    label: 'Open the invoice',
  }),
  paid: (agency, sum) => ({
    subject: `Your payment to ${agency}`,
    paragraph: `Thank you: your payment of ${sum} has arrived.`,
    label: 'Open the receipt',
  }),
  payment_failed: (agency, sum) => ({
    subject: `Your payment to ${agency} failed`,
    paragraph: `Your payment of ${sum} did not go through. Please pay the invoice in another way.`,
    label: 'Open the invoice',
  }),
  payment_reminder: (agency, sum, due) => ({
    subject: `Your invoice from ${agency} is overdue`,
    paragraph: `Your invoice of ${sum} was due on ${due} and is not paid yet. If you have paid it meanwhile, ignore this mail.`,
    label: 'Open the invoice',
  }),
  subscription_given_up: (agency) => ({
    subject: `Your plan at ${agency} has ended`,
    paragraph: `Your plan has ended, because its invoice was not paid. Ask ${agency} if you want to go on.`,
  }),
};

/** Undefined if the year is not renewed after all. */
async function renewalWords(org_id: string, client_id: string, account: BillingAccount, agency: string): Promise<Words | undefined> {
  const subscription = await subscriptionOf({ org_id }, client_id);
  if (subscription?.status !== 'active' || subscription.cancel_at_period_end) return undefined;
  const { next_plan_id, plan_id, period_end } = subscription;
  const { name, price, interval } = await pricedPlan({ org_id }, next_plan_id ?? plan_id, account);
  const sum = sumText(withTax(price, account.tax_rate, account.tax_included).amount, account.currency);
  const day = dayText(period_end, account.time_zone);
  const costs = `Your plan ${plainName(name)} is renewed on ${day}. From then on it costs ${sum} a ${interval === 'yearly' ? 'year' : 'month'}.`;
  const toEnd = account.clients_may_cancel ? 'end it on your page Billing' : `tell ${agency}`;
  return {
    subject: `Your plan at ${agency} is renewed on ${day}`,
    paragraph: `${costs} If you do not want that, ${toEnd} before that day.`,
    ...(account.clients_may_cancel && { label: 'Open Billing' }),
  };
}

/** Undefined if the client has changed or removed the card since. */
async function cardWords(org_id: string, client_id: string, account: BillingAccount, agency: string): Promise<Words | undefined> {
  const card = cardOf(account, await detailsOf({ org_id }, client_id));
  if (card === null || expiryOf(card) > afterDays(clock.now(), expiryDays)) return undefined;
  return {
    subject: `Your card for ${agency} expires`,
    paragraph: `The card ending in ${card.last4}, which pays your plan, expires with ${card.exp_month}/${card.exp_year}. Enter the new one before that, so that your plan goes on.`,
    label: 'Change the card',
  };
}

const aheadWords = { renewal_ahead: renewalWords, card_expires: cardWords } as const;
const isAhead = (told: Notice | 'paid'): told is Ahead => told in aheadWords;

/** Mails clients about what they owe and paid, where the organization wants that. */
export function onBillingNotice({ mailer, from, origin }: Dependencies): void {
  consume({
    ...consumerOf('clients-plans-billing-mail'),
    ...mailConsumption,
    atLeastOnceHandler: async (event) => {
      const { org_id, id, timestamp } = event;
      const service = callerFor(servicePrincipal('clients-plans', org_id), { timeoutMs });
      const account = await storedAccount({ org_id });
      if (account?.mails_clients !== true) return;
      const { told, client_id, order } = await subjectOf(event, origin, account.time_zone);
      const client = await clientById(service, client_id);
      // What was paid or canceled meanwhile needs no mail.
      if (client === null || (order === undefined && told !== 'subscription_given_up' && !isAhead(told))) return;
      const { brand } = await call('identity.GetBrand', {}, service);
      if (!brand) throw new AppError('organization_not_found');
      const agency = plainName(brand.name);
      const words = isAhead(told)
        ? await aheadWords[told](org_id, client_id, account, agency)
        : wordsOf[told](agency, order?.sum ?? '', order?.due ?? '');
      if (words === undefined) return;
      const url = isAhead(told) ? `${origin}/billing` : order?.url;
      const template: EmailTemplate = {
        greeting: client.name === null ? 'Hello,' : `Hello ${plainName(client.name)},`,
        paragraphs: [words.paragraph],
        ...(words.label !== undefined && url !== undefined && { link: { label: words.label, url } }),
      };
      await mailer.send({
        ...{ org_id, purpose: 'billing', messageId: messageIdFor(`billing.${id}`, from) },
        to: { address: client.email, name: client.name ?? '' },
        ...brandedMail(brand, from, origin, template),
        ...{ date: new Date(timestamp), subject: words.subject },
      });
    },
  });
}

interface Subject {
  readonly told: Notice | 'paid';
  readonly client_id: string;
  readonly order?: { readonly url: string; readonly sum: string; readonly due: string } | undefined;
}

/** What a mail is about: the order that was paid, or the open one that is to be paid first. */
async function subjectOf(
  { type, data, org_id }: EventEnvelope<'internal.billing.notice' | 'payment.received'>,
  origin: string,
  timeZone: string,
): Promise<Subject> {
  const shown = (order: OrderState | null | undefined) =>
    order && { url: invoiceUrl(origin, org_id, order), sum: sumText(order.amount, order.currency), due: dayText(order.due_at, timeZone) };
  if (type === 'payment.received') {
    return { told: 'paid', client_id: data.client.id, order: shown(await orderById({ org_id }, data.order.id)) ?? undefined };
  }
  const { client_id, notice } = data;
  if (isAhead(notice)) return { told: notice, client_id };
  const open = await openOrdersOfClient({ org_id }, client_id);
  return { told: notice, client_id, order: shown(notice === 'order_opened' ? open.at(-1) : open[0]) ?? undefined };
}
