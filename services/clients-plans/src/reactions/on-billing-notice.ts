import type { Language } from '@webkiln/contract';
import { consume, consumerOf } from '@webkiln/events';
import { brandedMail, type EmailTemplate, type Mailbox, type Mailer, mailConsumption, messageIdFor, plainName } from '@webkiln/mail';
import { type EventEnvelope, serviceCaller } from '@webkiln/messages';
import { type BillingAccount, detailsOf, openOrdersOfClient, orderById, storedAccount, subscriptionOf } from '../billing/billing-store.ts';
import { cardOf, pricedPlan } from '../billing/change-billing.ts';
import { clock } from '../billing/clock.ts';
import { expiryDays, expiryOf } from '../billing/payments/provider.ts';
import { sumText, withTax } from '../billing/rules/money.ts';
import { invoiceUrl, type OrderState } from '../billing/rules/order.ts';
import { afterDays, dayText } from '../billing/rules/period.ts';
import type { Notice } from '../billing/rules/subscription.ts';
import { clientById } from '../clients/client-store.ts';
import { texts } from '../texts.ts';
import { brandFor } from './on-client-invited.ts';

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

/** The texts of a mail, apart from its greeting. */
interface Words {
  readonly subject: string;
  readonly paragraph: string;
  readonly label?: string;
}

interface Audience {
  readonly agency: string;
  readonly language: Language;
}

/** `sum` and `due` are written out. */
function wordsOf(told: Told, { agency, language }: Audience, sum: string, due: string): Words {
  const t = texts[language].notices;
  const subject = t[told].subject({ agency });
  if (told === 'subscription_given_up') return { subject, paragraph: t[told].text({ agency }) };
  return { subject, paragraph: t[told].text({ sum, due }), label: t[told].button };
}

/** Undefined if the year is not renewed after all. */
async function renewalWords(org_id: string, client_id: string, account: BillingAccount, audience: Audience): Promise<Words | undefined> {
  const subscription = await subscriptionOf({ org_id }, client_id);
  if (subscription?.status !== 'active' || subscription.cancel_at_period_end) return undefined;
  const { agency, language } = audience;
  const t = texts[language].renewal_ahead;
  const { next_plan_id, plan_id, period_end } = subscription;
  const { name, price, interval } = await pricedPlan({ org_id }, next_plan_id ?? plan_id, account);
  const sum = sumText(withTax(price, account.tax_rate, account.tax_included).amount, account.currency, language);
  const day = dayText(period_end, account.time_zone, language);
  const costs = t.costs[interval]({ plan: plainName(name), day, sum });
  return {
    subject: t.subject({ agency, day }),
    paragraph: `${costs} ${account.clients_may_cancel ? t.toEnd : t.toAsk({ agency })}`,
    ...(account.clients_may_cancel && { label: t.button }),
  };
}

/** Undefined if the client has changed or removed the card since. */
async function cardWords(org_id: string, client_id: string, account: BillingAccount, audience: Audience): Promise<Words | undefined> {
  const card = cardOf(account, await detailsOf({ org_id }, client_id));
  if (card === null || expiryOf(card) > afterDays(clock.now(), expiryDays)) return undefined;
  const t = texts[audience.language].card_expires;
  return {
    subject: t.subject(audience),
    paragraph: t.text({ last4: card.last4, month: `${card.exp_month}/${card.exp_year}` }),
    label: t.button,
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
      const service = serviceCaller('clients-plans', org_id, timeoutMs);
      const account = await storedAccount({ org_id });
      if (account?.mails_clients !== true) return;
      const { told, client_id, order } = await subjectOf(event);
      const client = await clientById(service, client_id);
      // What was paid or canceled meanwhile needs no mail.
      if (client === null || (order === undefined && told !== 'subscription_given_up' && !isAhead(told))) return;
      const { brand, language } = await brandFor(service, client.email);
      const audience = { agency: plainName(brand.name), language };
      const sum = order === undefined ? '' : sumText(order.amount, order.currency, language);
      const due = order === undefined ? '' : dayText(order.due_at, account.time_zone, language);
      const words = isAhead(told) ? await aheadWords[told](org_id, client_id, account, audience) : wordsOf(told, audience, sum, due);
      if (words === undefined) return;
      const url = isAhead(told) ? `${origin}/billing` : order && invoiceUrl(origin, org_id, order);
      const template: EmailTemplate = {
        language,
        name: client.name,
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
  readonly order?: OrderState | undefined;
}

/** What a mail is about: the order that was paid, or the open one that is to be paid first. */
async function subjectOf({ type, data, org_id }: EventEnvelope<'internal.billing.notice' | 'payment.received'>): Promise<Subject> {
  if (type === 'payment.received') {
    return { told: 'paid', client_id: data.client.id, order: (await orderById({ org_id }, data.order.id)) ?? undefined };
  }
  const { client_id, notice } = data;
  if (isAhead(notice)) return { told: notice, client_id };
  const open = await openOrdersOfClient({ org_id }, client_id);
  return { told: notice, client_id, order: notice === 'order_opened' ? open.at(-1) : open[0] };
}
