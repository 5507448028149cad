import { BillingCycle } from './billing-cycle.ts';
import { decimalsOf, isCurrency, shareOf, toMajor, toMinor, withTax } from './money.ts';
import { isOpen } from './order.ts';
import type { NewOrder, PricedPlan, SubscriptionState, Terms } from './subscription.ts';

describe('billing cycle', () => {
  const terms: Terms = {
    ...{ time_zone: 'UTC', trial_days: 0, payment_days: 14, retry_days: [3, 5, 7], grace_days: null, tax_rate: null, tax_included: true },
    charges_card: false,
  };
  const plan = (_id: string, price: number, interval: PricedPlan['interval'] = 'monthly'): PricedPlan => ({
    _id,
    name: _id,
    price,
    interval,
  });
  const basic = plan('basic', 1000);
  const pro = plan('pro', 3000);
  const yearly = plan('yearly', 12_000, 'yearly');
  const ids = { _id: 's1', client_id: 'c1', currency: 'USD' };
  const at = (text: string) => new Date(text);

  /** A subscription with the orders that it opened so far, as a store keeps them. */
  class Books {
    state: SubscriptionState;
    readonly orders: NewOrder[] = [];
    readonly told: string[] = [];
    payment = 'none';
    readonly #terms: Terms;

    constructor(first: PricedPlan, now: Date, more: Partial<Terms> = {}) {
      this.#terms = { ...terms, ...more };
      const cycle = BillingCycle.open(ids, first, this.#terms, now);
      this.state = cycle.state;
      this.#keep(cycle);
    }

    act(change: (cycle: BillingCycle, open: NewOrder[]) => unknown): this {
      const open = this.orders.filter(isOpen);
      const cycle = new BillingCycle({ ...this.state }, open, this.#terms);
      change(cycle, open);
      this.#keep(cycle);
      return this;
    }

    #keep(cycle: BillingCycle): void {
      this.state = cycle.state;
      this.orders.push(...cycle.opened);
      this.told.push(...cycle.notices);
      this.payment = cycle.paymentStatus ?? this.payment;
    }

    due = (next: PricedPlan, now: string) => this.act((cycle) => cycle.runDue(next, at(now)));
    pay = (now: string) =>
      this.act((cycle, open) => {
        for (const order of open) cycle.pay(order, at(now));
      });
    amounts = () => this.orders.map(({ amount, status }) => `${amount} ${status}`);
    periods = () =>
      this.orders.map(({ period_start, period_end }) => [period_start, period_end].map((day) => day.toISOString().slice(0, 10)));
  }

  const paidBooks = (first = basic, now = '2026-01-31T10:00:00Z') => new Books(first, at(now)).pay(now);

  test('a priced plan opens with an order for its first period, and is active once that is paid', () => {
    const books = new Books(basic, at('2026-01-31T10:00:00Z'));
    expect([books.state.status, books.payment, books.amounts()]).toEqual(['incomplete', 'none', ['1000 pending']]);
    books.pay('2026-02-01T00:00:00Z');
    expect([books.state.status, books.payment, books.amounts()]).toEqual(['active', 'active', ['1000 paid']]);
  });

  test('monthly periods that begin on the 31st end on the last day of shorter months, and on the 31st again', () => {
    const books = paidBooks();
    for (const day of ['2026-02-28T10:00:00Z', '2026-03-31T10:00:00Z', '2026-04-30T10:00:00Z']) books.due(basic, day).pay(day);
    expect(books.periods()).toEqual([
      ['2026-01-31', '2026-02-28'],
      ['2026-02-28', '2026-03-31'],
      ['2026-03-31', '2026-04-30'],
      ['2026-04-30', '2026-05-31'],
    ]);
  });

  test('a year that begins on 29 February ends on 28 February, and after four years on the 29th', () => {
    const books = paidBooks(yearly, '2024-02-29T10:00:00Z');
    for (const year of [2025, 2026, 2027]) books.due(yearly, `${year}-02-28T10:00:00Z`).pay(`${year}-02-28T10:00:00Z`);
    expect(books.periods().map(([, end]) => end)).toEqual(['2025-02-28', '2026-02-28', '2027-02-28', '2028-02-29']);
  });

  test('periods end at the same hour by the clocks of the time zone, over a change of clocks', () => {
    const books = new Books(basic, at('2026-03-01T09:00:00Z'), { time_zone: 'Europe/Berlin' });
    expect(books.state.period_end.toISOString()).toBe('2026-04-01T08:00:00.000Z');
  });

  test('a changed price applies from the next renewal on', () => {
    const books = paidBooks().due({ ...basic, price: 1500 }, '2026-02-28T10:00:00Z');
    expect(books.amounts()).toEqual(['1000 paid', '1500 pending']);
  });

  test('an order that is not paid in time makes the client past due, reminds on each retry day and ends on the last', () => {
    const books = paidBooks().due(basic, '2026-02-28T10:00:00Z');
    books.due(basic, '2026-03-14T10:00:00Z');
    expect([books.state.status, books.payment]).toEqual(['past_due', 'past_due']);
    books.due(basic, '2026-03-19T10:00:00Z');
    expect([books.state.status, books.told.filter((told) => told === 'payment_reminder')]).toEqual([
      'past_due',
      ['payment_reminder', 'payment_reminder'],
    ]);
    books.due(basic, '2026-03-21T10:00:00Z');
    expect([books.state.status, books.payment, books.amounts()]).toEqual(['canceled', 'canceled', ['1000 paid', '1000 canceled']]);
    expect(books.state.due_at).toBeNull();
  });

  describe('with a card', () => {
    const renewed = () => new Books(basic, at('2026-01-31T10:00:00Z'), { charges_card: true }).pay('2026-01-31T10:00:00Z');
    const declined = (books: Books, now: string) => books.act((cycle, [order]) => order !== undefined && cycle.fail(order, at(now)));
    const chargedAt = ({ orders }: Books) => orders.at(-1)?.charge_at?.toISOString() ?? null;

    test('an order is charged at once, and is told of when that is done', () => {
      const books = renewed().due(basic, '2026-02-28T10:00:00Z');
      expect([chargedAt(books), books.told]).toEqual(['2026-02-28T10:00:00.000Z', []]);
      books.pay('2026-02-28T10:01:00Z');
      expect([chargedAt(books), books.amounts()]).toEqual([null, ['1000 paid', '1000 paid']]);
    });

    test('a card that is declined is charged again on each retry day instead of a reminder, and then the subscription ends', () => {
      const books = declined(renewed().due(basic, '2026-02-28T10:00:00Z'), '2026-02-28T10:00:00Z');
      expect([books.state.status, books.payment, chargedAt(books)]).toEqual(['past_due', 'past_due', null]);
      for (const day of ['2026-03-03', '2026-03-05', '2026-03-07']) {
        books.due(basic, `${day}T10:00:00Z`);
        expect([books.state.status, chargedAt(books)]).toEqual(['past_due', `${day}T10:00:00.000Z`]);
        declined(books, `${day}T10:00:00Z`);
      }
      expect([books.state.status, books.amounts(), chargedAt(books)]).toEqual(['canceled', ['1000 paid', '1000 canceled'], null]);
      expect(books.told).toEqual(['payment_failed', 'payment_failed', 'payment_failed', 'subscription_given_up']);
    });

    test('a charge of the last day that is not answered within a day ends the subscription', () => {
      const books = declined(renewed().due(basic, '2026-02-28T10:00:00Z'), '2026-02-28T10:00:00Z');
      for (const day of ['2026-03-03', '2026-03-05', '2026-03-07', '2026-03-08']) books.due(basic, `${day}T10:00:00Z`);
      expect([books.state.status, books.told.at(-1)]).toEqual(['canceled', 'subscription_given_up']);
    });
  });

  test('a client who never paid owes nothing after all when the subscription is given up', () => {
    const books = new Books(basic, at('2026-01-31T10:00:00Z')).due(basic, '2026-03-31T10:00:00Z');
    expect([books.state.status, books.payment, books.amounts()]).toEqual(['canceled', 'none', ['1000 canceled']]);
  });

  test('a payment of what is overdue makes the client active again', () => {
    const books = paidBooks().due(basic, '2026-03-15T10:00:00Z').pay('2026-03-16T00:00:00Z');
    expect([books.state.status, books.payment, books.state.past_due_since]).toEqual(['active', 'active', null]);
  });

  test('a declined payment makes the client past due at once, and can be paid later', () => {
    const books = paidBooks().due(basic, '2026-02-28T10:00:00Z');
    books.act((cycle, open) => {
      for (const order of open) cycle.fail(order, at('2026-03-01T00:00:00Z'));
    });
    expect([books.state.status, books.payment, books.amounts()]).toEqual(['past_due', 'past_due', ['1000 paid', '1000 failed']]);
    books.pay('2026-03-02T00:00:00Z');
    expect([books.state.status, books.payment, books.amounts()]).toEqual(['active', 'active', ['1000 paid', '1000 paid']]);
  });

  test('an upgrade charges the difference for the rest of the period at once', () => {
    const books = paidBooks(basic, '2026-04-01T00:00:00Z').act((cycle) => cycle.changePlan(pro, at('2026-04-21T00:00:00Z')));
    // 10 of 30 days of a difference of 20.00.
    expect([books.amounts(), books.state.plan_id]).toEqual([['1000 paid', '667 pending'], 'pro']);
    books.pay('2026-04-21T01:00:00Z').due(pro, '2026-05-01T00:00:00Z');
    expect(books.amounts()).toEqual(['1000 paid', '667 paid', '3000 pending']);
  });

  test('a downgrade charges nothing, and its price applies from the renewal on', () => {
    const books = paidBooks(pro, '2026-04-01T00:00:00Z').act((cycle) => cycle.changePlan(basic, at('2026-04-21T00:00:00Z')));
    expect([books.amounts(), books.state.plan_id]).toEqual([['3000 paid'], 'basic']);
    expect(books.due(basic, '2026-05-01T00:00:00Z').amounts()).toEqual(['3000 paid', '1000 pending']);
  });

  test('back to the plan that is paid for, in the same period, costs nothing', () => {
    const books = paidBooks(pro, '2026-04-01T00:00:00Z');
    for (const next of [basic, pro]) books.act((cycle) => cycle.changePlan(next, at('2026-04-21T00:00:00Z')));
    expect(books.amounts()).toEqual(['3000 paid']);
  });

  test('from monthly to yearly a year begins, and what is left of the paid month counts towards it', () => {
    const books = paidBooks(pro, '2026-04-01T00:00:00Z').act((cycle) => cycle.changePlan(yearly, at('2026-04-16T00:00:00Z')));
    expect([books.amounts(), books.periods().at(-1)]).toEqual([
      ['3000 paid', '10500 pending'],
      ['2026-04-16', '2027-04-16'],
    ]);
  });

  test('a month that was paid back counts towards no year', () => {
    const books = paidBooks(pro, '2026-04-01T00:00:00Z').act((cycle) => cycle.refund({ period_start: at('2026-04-01T00:00:00Z') }));
    books.act((cycle) => cycle.changePlan(yearly, at('2026-04-16T00:00:00Z')));
    expect([books.amounts(), books.state.credit]).toEqual([['3000 paid', '12000 pending'], 0]);
  });

  test('from yearly to monthly the paid year goes on, and months follow', () => {
    const books = paidBooks(yearly, '2026-04-01T00:00:00Z').act((cycle) => cycle.changePlan(basic, at('2026-06-01T00:00:00Z')));
    expect(books.due(basic, '2027-04-01T00:00:00Z').periods().at(-1)).toEqual(['2027-04-01', '2027-05-01']);
  });

  test('a first order that is not paid is replaced when the plan changes', () => {
    const books = new Books(basic, at('2026-04-01T00:00:00Z')).act((cycle) => cycle.changePlan(pro, at('2026-04-02T00:00:00Z')));
    expect([books.amounts(), books.periods().at(-1)]).toEqual([
      ['1000 canceled', '3000 pending'],
      ['2026-04-01', '2026-05-01'],
    ]);
  });

  test('a plan that is to change at the renewal changes then, unless that is undone', () => {
    const change = (next: PricedPlan) => (cycle: BillingCycle) => cycle.changePlanAtRenewal(next);
    const books = paidBooks(pro, '2026-04-01T00:00:00Z').act(change(basic));
    expect([books.state.plan_id, books.state.next_plan_id]).toEqual(['pro', 'basic']);
    expect(books.due(basic, '2026-05-01T00:00:00Z').state).toMatchObject({ plan_id: 'basic', next_plan_id: null, amount: 1000 });
    expect(books.act(change(pro)).act(change(basic)).state.next_plan_id).toBeNull();
  });

  test('a trial is free, and the first period begins at its end', () => {
    const books = new Books(basic, at('2026-04-01T00:00:00Z'), { trial_days: 14 });
    expect([books.state.status, books.amounts()]).toEqual(['trialing', []]);
    books.due(basic, '2026-04-15T00:00:00Z');
    expect([books.state.status, books.periods()]).toEqual(['incomplete', [['2026-04-15', '2026-05-15']]]);
  });

  test('a trial that is canceled at its end costs nothing', () => {
    const books = new Books(basic, at('2026-04-01T00:00:00Z'), { trial_days: 14 });
    books.act((cycle) => cycle.cancel('period_end', at('2026-04-02T00:00:00Z'))).due(basic, '2026-04-15T00:00:00Z');
    expect([books.state.status, books.payment, books.amounts()]).toEqual(['canceled', 'none', []]);
  });

  test('a subscription that ends with its period is not renewed, unless it is resumed before', () => {
    const cancel = (cycle: BillingCycle) => cycle.cancel('period_end', at('2026-04-02T00:00:00Z'));
    expect(paidBooks(basic, '2026-04-01T00:00:00Z').act(cancel).due(basic, '2026-05-01T00:00:00Z')).toMatchObject({
      ...{ state: { status: 'canceled', canceled_at: at('2026-05-01T00:00:00Z') }, payment: 'canceled' },
    });
    const resumed = paidBooks(basic, '2026-04-01T00:00:00Z').act(cancel);
    resumed.act((cycle) => cycle.resume(at('2026-04-03T00:00:00Z'))).due(basic, '2026-05-01T00:00:00Z');
    expect(resumed.amounts()).toEqual(['1000 paid', '1000 pending']);
  });

  test('ended now, open orders are canceled and paid ones stay', () => {
    const books = paidBooks(basic, '2026-04-01T00:00:00Z').due(basic, '2026-05-01T00:00:00Z');
    books.act((cycle) => cycle.cancel('now', at('2026-05-02T00:00:00Z')));
    expect([books.amounts(), books.payment, books.state.due_at]).toEqual([['1000 paid', '1000 canceled'], 'canceled', null]);
  });

  test('after the end the time of grace runs out once, and without one never', () => {
    const end = (cycle: BillingCycle) => cycle.cancel('now', at('2026-04-02T00:00:00Z'));
    const books = new Books(basic, at('2026-04-01T00:00:00Z'), { grace_days: 30 }).act(end);
    const graceOver = (now: string) => {
      let isOver = false;
      books.act((cycle) => {
        cycle.runDue(basic, at(now));
        isOver = cycle.isGraceOver;
      });
      return isOver;
    };
    expect(['2026-05-01T23:59:59Z', '2026-05-02T00:00:00Z', '2026-06-02T00:00:00Z'].map(graceOver)).toEqual([false, true, false]);
    expect(new Books(basic, at('2026-04-01T00:00:00Z')).act(end).state.due_at).toBeNull();
  });

  test('while it is paused nothing is charged, and the rest of the period begins when it is resumed', () => {
    const books = paidBooks(basic, '2026-04-01T00:00:00Z').act((cycle) => cycle.pause(at('2026-04-11T00:00:00Z')));
    expect([books.state.status, books.state.due_at]).toEqual(['paused', null]);
    books.act((cycle) => cycle.resume(at('2026-06-11T00:00:00Z')));
    expect(books.state).toMatchObject({ status: 'active', period_end: at('2026-07-01T00:00:00Z'), due_at: at('2026-07-01T00:00:00Z') });
  });

  test('a paused subscription ends at once, whenever it is to end', () => {
    const books = paidBooks(basic, '2026-04-01T00:00:00Z').act((cycle) => cycle.pause(at('2026-04-11T00:00:00Z')));
    books.act((cycle) => cycle.cancel('period_end', at('2026-04-12T00:00:00Z')));
    expect([books.state.status, books.state.canceled_at]).toEqual(['canceled', at('2026-04-12T00:00:00Z')]);
  });

  test('what is not paid for cannot be paused', () => {
    let isPaused = true;
    new Books(basic, at('2026-04-01T00:00:00Z')).act((cycle) => {
      isPaused = cycle.pause(at('2026-04-02T00:00:00Z'));
    });
    expect(isPaused).toBe(false);
  });

  describe('14 days before a year ends, its client', () => {
    const told = (books: Books) => books.told.filter((notice) => notice === 'renewal_ahead').length;
    const year = () => paidBooks(yearly, '2026-04-01T00:00:00Z');
    const end = (cycle: BillingCycle) => cycle.cancel('period_end', at('2026-05-01T00:00:00Z'));

    test('is told of the renewal, once a period', () => {
      const books = year();
      expect(books.state.due_at).toEqual(at('2027-03-18T00:00:00Z'));
      expect(told(books.due(yearly, '2027-03-17T23:59:59Z'))).toBe(0);
      expect(told(books.due(yearly, '2027-03-18T00:00:00Z'))).toBe(1);
      expect(books.state.due_at).toEqual(at('2027-04-01T00:00:00Z'));
      expect(told(books.due(yearly, '2027-03-30T00:00:00Z'))).toBe(1);
      books.due(yearly, '2027-04-01T00:00:00Z').pay('2027-04-01T00:00:00Z');
      expect(told(books.due(yearly, '2028-03-18T00:00:00Z'))).toBe(2);
    });

    test('is told of another end, once the year was paused and goes on', () => {
      const books = year()
        .due(yearly, '2027-03-20T00:00:00Z')
        .act((cycle) => cycle.pause(at('2027-03-21T00:00:00Z')));
      expect(told(books.due(yearly, '2027-06-01T00:00:00Z'))).toBe(1);
      books.act((cycle) => cycle.resume(at('2027-07-01T00:00:00Z')));
      expect(told(books.due(yearly, '2027-07-01T00:00:00Z'))).toBe(2);
      expect(books.state.period_end).toEqual(at('2027-07-12T00:00:00Z'));
    });

    test('is told nothing of a year that ends for good, or ended while nothing ran, or of one that is free', () => {
      expect(told(year().act(end).due(yearly, '2027-03-20T00:00:00Z'))).toBe(0);
      expect(told(year().due(yearly, '2027-04-01T00:00:00Z'))).toBe(0);
      expect(told(year().due({ ...yearly, price: 0 }, '2027-03-20T00:00:00Z'))).toBe(0);
    });

    test('is told nothing of months', () => {
      expect(told(paidBooks().due(basic, '2026-02-20T10:00:00Z').due(basic, '2026-02-28T10:00:00Z'))).toBe(0);
    });
  });

  test('months in which nothing ran are caught up with, and each order is due from then on', () => {
    const books = new Books({ ...basic, price: 1000 }, at('2026-01-01T00:00:00Z'), { payment_days: 0, retry_days: [90] }).pay(
      '2026-01-01T00:00:00Z',
    );
    books.due(basic, '2026-04-15T00:00:00Z');
    expect(books.orders.filter(isOpen).map(({ due_at }) => due_at)).toEqual([
      at('2026-04-15T00:00:00Z'),
      at('2026-04-15T00:00:00Z'),
      at('2026-04-15T00:00:00Z'),
    ]);
  });

  test('a price of 0 is renewed without an order', () => {
    const books = paidBooks(basic, '2026-04-01T00:00:00Z').due({ ...basic, price: 0 }, '2026-05-01T00:00:00Z');
    expect([books.amounts(), books.state.status, books.state.period_end]).toEqual([['1000 paid'], 'active', at('2026-06-01T00:00:00Z')]);
  });

  test('tax is part of the price, or added to it', () => {
    const orderOf = (more: Partial<Terms>) => new Books(basic, at('2026-04-01T00:00:00Z'), more).orders[0];
    expect(orderOf({ tax_rate: 19 })).toMatchObject({ amount: 1000, tax: 160 });
    expect(orderOf({ tax_rate: 19, tax_included: false })).toMatchObject({ amount: 1190, tax: 190 });
    expect(orderOf({})).toMatchObject({ amount: 1000, tax: 0 });
  });
});

describe('money', () => {
  test.each([
    ['USD', 2],
    ['JPY', 0],
    ['KWD', 3],
    ['HUF', 2],
  ])('%s has %d decimals, as ISO 4217 says', (currency, decimals) => {
    expect(decimalsOf(currency)).toBe(decimals);
  });

  test('an amount in minor units and back is the same, for every amount of two decimals up to 100', () => {
    for (let minor = 0; minor <= 10_000; minor += 1) expect(toMinor(toMajor(minor, 'USD'), 'USD')).toBe(minor);
  });

  test.each([
    [19.999, 'USD'],
    [1e-9, 'USD'],
    [0.5, 'JPY'],
    [1.0001, 'KWD'],
  ])('%d %s is finer than the smallest unit', (amount, currency) => {
    expect(toMinor(amount, currency)).toBeUndefined();
  });

  test('currencies without decimal units, and unknown ones, are none', () => {
    expect(['EUR', 'MGA', 'XXQ', 'eur'].map(isCurrency)).toEqual([true, false, false, false]);
  });

  test('a share is rounded to the nearest unit, halves away from zero, however large it is', () => {
    expect([shareOf(5, 1, 2), shareOf(-5, 1, 2), shareOf(1000, 1, 3)]).toEqual([3, -3, 333]);
    expect(shareOf(999_999_999_999, 31_535_999_999, 31_536_000_000)).toBe(999_999_999_967);
  });

  test('a price and its tax add up, whichever contains the other', () => {
    for (const price of [1, 99, 1999, 123_456_789]) {
      for (const rate of [0, 7, 7.7, 19, 24.975]) {
        const added = withTax(price, rate, false);
        expect(added.amount - added.tax).toBe(price);
        const contained = withTax(added.amount, rate, true);
        expect(contained.amount).toBe(added.amount);
        expect(Math.abs(contained.tax - added.tax)).toBeLessThanOrEqual(1);
      }
    }
  });
});
