import { AppError } from '@webkiln/contract';
import { consume, consumerOf } from '@webkiln/events';
import { brandedMail, type EmailTemplate, type Mailbox, type Mailer, mailConsumption, messageIdFor, plainName } from '@webkiln/mail';
import { callerFor, type EventEnvelope, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { openOrdersOfClient, orderById, storedAccount } from '../billing/billing-store.ts';
import { sumText } from '../billing/money.ts';
import { invoiceUrl, type OrderState } from '../billing/order.ts';
import { dayText } from '../billing/period.ts';
import type { Notice } from '../billing/subscription.ts';
import { clientById } from '../clients/client-store.ts';

const timeoutMs = 5_000;

interface Dependencies {
  mailer: Mailer;
  from: Mailbox;
  /** The public URL, without a trailing slash. */
  origin: string;
}

type Told = Notice | 'paid';

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
      if (client === null || (order === undefined && told !== 'subscription_given_up')) return;
      const { brand } = await call('identity.GetBrand', {}, service);
      if (!brand) throw new AppError('organization_not_found');
      const words = wordsOf[told](plainName(brand.name), order?.sum ?? '', order?.due ?? '');
      const template: EmailTemplate = {
        greeting: client.name === null ? 'Hello,' : `Hello ${plainName(client.name)},`,
        paragraphs: [words.paragraph],
        ...(words.label !== undefined && order !== undefined && { link: { label: words.label, url: order.url } }),
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
  readonly told: Told;
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
  const open = await openOrdersOfClient({ org_id }, client_id);
  return { told: notice, client_id, order: shown(notice === 'order_opened' ? open.at(-1) : open[0]) ?? undefined };
}
