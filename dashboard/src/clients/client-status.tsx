import type { Client } from '../api/records.ts';
import { Badge, type Tone } from '../components/feedback/badge.tsx';
import { texts } from '../texts.ts';

const statusTones: Readonly<Record<Client['status'], Tone>> = { invited: 'warn', active: 'good', suspended: 'bad', churned: 'plain' };
const paymentTones: Readonly<Record<Client['payment_status'], Tone>> = {
  none: 'plain',
  active: 'good',
  past_due: 'bad',
  canceled: 'plain',
};

export function ClientStatus({ status }: Pick<Client, 'status'>) {
  return <Badge tone={statusTones[status]}>{texts.clients.statuses[status]}</Badge>;
}

export function PaymentStatus({ payment_status }: Pick<Client, 'payment_status'>) {
  if (payment_status === 'none') return <span className="soft">–</span>;
  return <Badge tone={paymentTones[payment_status]}>{texts.clients.payments[payment_status]}</Badge>;
}

/** The client's name, company or email, whichever is set first. */
export const clientName = ({ name, company, email }: Client): string => name ?? company ?? email;
