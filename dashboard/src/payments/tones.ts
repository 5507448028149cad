import type { Order, Subscription } from '../api/payments.ts';
import type { Tone } from '../components/feedback/badge.tsx';

export const orderTones: Readonly<Record<Order['status'], Tone>> = {
  pending: 'warn',
  paid: 'good',
  failed: 'bad',
  refunded: 'plain',
  canceled: 'plain',
};

export const subscriptionTones: Readonly<Record<Subscription['status'], Tone>> = {
  incomplete: 'warn',
  trialing: 'good',
  active: 'good',
  past_due: 'bad',
  paused: 'plain',
  canceled: 'plain',
};
