import type { Client } from '@webkiln/contract';
import { isOpen, type OrderState } from './order.ts';
import { afterDays, afterIntervals } from './period.ts';
import type { NewOrder, Notice, PricedPlan, SubscriptionState, Terms } from './subscription.ts';
import { earliest, newOrder, newSubscription, nextDue, renewalNoticeAt, restOf, resumedAt, tellOfRenewal } from './subscription.ts';

/** An open order, stored or new. Only its status and dates change. */
type Open = Pick<OrderState, 'due_at' | 'status' | 'paid_at' | 'period_start' | 'charge_at'>;

/** A subscription that was not looked at for years catches up in several runs. */
const maxSteps = 24;

/**
 * The rules of one subscription. It holds the record with its open orders, and each method is something that happens at
 * a moment: it changes them, and collects what else follows. It knows neither store nor clock.
 */
export class BillingCycle {
  readonly state: SubscriptionState;
  readonly opened: NewOrder[] = [];
  readonly notices: Notice[] = [];
  paymentStatus: Client['payment_status'] | undefined;
  /** True if the client had its time to go on after the end. */
  isGraceOver = false;
  readonly #orders: Open[];
  readonly #terms: Terms;

  constructor(state: SubscriptionState, orders: readonly Open[], terms: Terms) {
    this.state = state;
    this.#orders = [...orders];
    this.#terms = terms;
  }

  /** Opens a subscription with its first order, or with a trial before it. */
  static open(ids: Pick<SubscriptionState, '_id' | 'client_id' | 'currency'>, plan: PricedPlan, terms: Terms, now: Date): BillingCycle {
    const cycle = new BillingCycle(newSubscription(ids, plan, terms, now), [], terms);
    if (cycle.state.trial_ends_at === null) cycle.#beginPeriod(plan, now, now);
    return cycle.#scheduled();
  }

  get #openOrders(): Open[] {
    return this.#orders.filter(isOpen);
  }

  /**
   * Does what is due at `now`, several steps if time has passed: ends a trial, tells of a renewal, renews, sees what is
   * overdue, reminds, gives up. `plan` is the one that the next period is for.
   */
  runDue(plan: PricedPlan, now: Date): void {
    const { state } = this;
    for (let step = 0; step < maxSteps && state.due_at !== null && state.due_at <= now; step += 1) {
      const at = state.due_at;
      if (state.status === 'canceled') {
        state.sites_end_at = null;
        this.isGraceOver = true;
      } else if (state.status === 'past_due') this.#remind(at);
      else if (this.#openOrders.some(({ due_at }) => due_at <= at)) this.#becomeOverdue();
      else if (at < state.period_end && renewalNoticeAt(state) !== null) this.notices.push(...tellOfRenewal(state, plan, now));
      else if (state.cancel_at_period_end) this.#end(at);
      else this.#renew(plan, at, now);
      this.#scheduled();
    }
  }

  /** A period begins when the one before ends, even if that is noticed later; its order is due from then on. */
  #renew(plan: PricedPlan, start: Date, now: Date): void {
    const { state } = this;
    const isFirst = state.status === 'trialing';
    if (isFirst) state.status = 'incomplete';
    if (isFirst || plan.interval !== state.interval) Object.assign(state, { anchor: start, periods: 0 });
    this.#beginPeriod(plan, start, now);
  }

  #beginPeriod({ _id: plan_id, name, price, interval }: PricedPlan, start: Date, now: Date): void {
    const { state } = this;
    Object.assign(state, { plan_id, amount: price, interval, next_plan_id: null, is_refunded: false, period_start: start });
    state.periods += 1;
    state.period_end = afterIntervals(state.anchor, interval, state.periods, this.#terms.time_zone);
    this.#charge({ kind: 'period', item: name, price }, start, now);
  }

  /** Opens an order for what remains after the credit; nothing is charged for a price of 0. */
  #charge(charged: Parameters<typeof newOrder>[1], start: Date, now: Date): void {
    const { state } = this;
    const used = Math.min(state.credit, charged.price);
    state.credit -= used;
    if (charged.price === used) {
      if (state.status === 'incomplete') state.status = 'active';
      return;
    }
    const order = newOrder(state, { ...charged, price: charged.price - used }, { start, now }, this.#terms);
    this.opened.push(order);
    this.#orders.push(order);
    // A card is charged at once; its owner hears of that.
    if (!this.#terms.charges_card) this.notices.push('order_opened');
  }

  #becomeOverdue(): void {
    const past_due_since = earliest(this.#openOrders.map(({ due_at }) => due_at));
    Object.assign(this.state, { status: 'past_due', reminders: 0, past_due_since });
    if (this.state.was_paid) this.paymentStatus = 'past_due';
  }

  #remind(at: Date): void {
    const { state } = this;
    const { retry_days, charges_card } = this.#terms;
    state.reminders += 1;
    const isLast = state.reminders >= retry_days.length;
    if (state.reminders > retry_days.length || (isLast && !charges_card)) this.#end(at, 'subscription_given_up');
    else if (charges_card) for (const order of this.#openOrders) order.charge_at = at;
    else this.notices.push('payment_reminder');
  }

  /** An open order was paid. */
  pay(order: Open, now: Date): void {
    const { state } = this;
    Object.assign(order, { status: 'paid', paid_at: now, charge_at: null });
    state.was_paid = true;
    if (state.status === 'canceled') return;
    if (state.status === 'incomplete') state.status = 'active';
    this.#recover(now);
    this.paymentStatus = state.status === 'past_due' ? 'past_due' : 'active';
    this.#scheduled();
  }

  /** What is overdue may be paid or canceled by now. */
  #recover(now: Date): this {
    const { state } = this;
    if (state.status !== 'past_due') return this;
    const overdue = this.#openOrders.filter(({ due_at }) => due_at <= now);
    if (overdue.length > 0) state.past_due_since = earliest(overdue.map(({ due_at }) => due_at));
    else {
      Object.assign(state, { status: state.was_paid ? 'active' : 'incomplete', past_due_since: null, reminders: 0 });
      if (state.was_paid) this.paymentStatus = 'active';
    }
    return this;
  }

  /** An order was paid back. If it is of the present period, nothing is left of that to count towards a year. */
  refund({ period_start }: Pick<Open, 'period_start'>): void {
    if (period_start >= this.state.period_start) this.state.is_refunded = true;
  }

  /** A payment was declined. */
  fail(order: Open, now: Date): void {
    const { state } = this;
    Object.assign(order, { status: 'failed', due_at: earliest([order.due_at, now]), charge_at: null });
    if (state.status === 'past_due' && state.reminders >= this.#terms.retry_days.length) this.#end(now, 'subscription_given_up');
    else this.notices.push('payment_failed');
    if (state.status === 'incomplete' || state.status === 'active') this.#becomeOverdue();
    this.#scheduled();
  }

  /** An open order that nobody needs to pay any more. */
  cancelOrder(order: Open, now: Date): void {
    Object.assign(order, { status: 'canceled', charge_at: null });
    this.#recover(now).#scheduled();
  }

  /** Ends now, or with the period: whatever was paid for is kept until then. A paused one has no end to wait for. */
  cancel(at: 'now' | 'period_end', now: Date): void {
    if (at === 'now' || this.state.status === 'paused') this.#end(now);
    else this.state.cancel_at_period_end = true;
    this.#scheduled();
  }

  #end(at: Date, ...told: readonly Notice[]): void {
    const { state } = this;
    this.notices.push(...told);
    for (const order of this.#openOrders) Object.assign(order, { status: 'canceled', charge_at: null });
    Object.assign(state, { status: 'canceled', canceled_at: at, paused_at: null, cancel_at_period_end: false, next_plan_id: null });
    if (state.was_paid) this.paymentStatus = 'canceled';
    if (this.#terms.grace_days !== null) state.sites_end_at = afterDays(at, this.#terms.grace_days);
  }

  /** False if it cannot be paused: it is not paid for. */
  pause(now: Date): boolean {
    const { state } = this;
    if (state.status !== 'active' && state.status !== 'trialing') return state.status === 'paused';
    Object.assign(state, { status: 'paused', paused_at: now });
    this.#scheduled();
    return true;
  }

  /** What was left of the period, or of the trial, begins now. */
  resume(now: Date): void {
    const { state } = this;
    state.cancel_at_period_end = false;
    if (state.paused_at !== null) Object.assign(state, resumedAt(state, state.paused_at, now));
    this.#scheduled();
  }

  /** At the renewal the plan changes with its price; the same plan again undoes that. */
  changePlanAtRenewal({ _id }: PricedPlan): void {
    this.state.next_plan_id = _id === this.state.plan_id ? null : _id;
  }

  /**
   * The plan changes now. A higher price is charged for the rest of the period; a lower one, and a change to monthly,
   * applies from the renewal on. From monthly to yearly a new period begins, and what is left of the paid one counts
   * towards it. A first order that is not paid yet is replaced.
   */
  changePlan(plan: PricedPlan, now: Date): void {
    const { state } = this;
    if (state.plan_id === plan._id && state.next_plan_id === null) return;
    state.next_plan_id = null;
    if (state.status === 'incomplete') this.#replaceFirstOrder(plan, now);
    else if (state.status === 'trialing') Object.assign(state, { plan_id: plan._id, amount: plan.price, interval: plan.interval });
    else if (state.status === 'paused') state.plan_id = plan._id;
    else if (plan.interval === state.interval) this.#upgrade(plan, now);
    else if (plan.interval === 'yearly') this.#beginYear(plan, now);
    else state.plan_id = plan._id;
    this.#recover(now).#scheduled();
  }

  #replaceFirstOrder(plan: PricedPlan, now: Date): void {
    const { state } = this;
    this.#cancelUnpaid();
    const goesOn = plan.interval === state.interval;
    Object.assign(state, goesOn ? { periods: state.periods - 1 } : { anchor: now, periods: 0 });
    this.#beginPeriod(plan, goesOn ? state.period_start : now, now);
  }

  #upgrade(plan: PricedPlan, now: Date): void {
    const { state } = this;
    const more = plan.price - state.amount;
    state.plan_id = plan._id;
    if (more <= 0) return;
    state.amount = plan.price;
    this.#charge({ kind: 'upgrade', item: plan.name, price: restOf(state, more, now) }, now, now);
  }

  #beginYear(plan: PricedPlan, now: Date): void {
    const { state } = this;
    if (!this.#cancelUnpaid() && !state.is_refunded) state.credit += restOf(state, state.amount, now);
    Object.assign(state, { anchor: now, periods: 0 });
    this.#beginPeriod(plan, now, now);
  }

  /** Cancels the open orders of the present period. True if there were some. */
  #cancelUnpaid(): boolean {
    const unpaid = this.#openOrders.filter(({ period_start }) => period_start >= this.state.period_start);
    for (const order of unpaid) Object.assign(order, { status: 'canceled', charge_at: null });
    return unpaid.length > 0;
  }

  #scheduled(): this {
    this.state.due_at = nextDue(this.state, this.#openOrders, this.#terms);
    return this;
  }
}
