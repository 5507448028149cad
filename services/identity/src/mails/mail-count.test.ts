import { askedByRecipient, type CountedMail, countMail, type MailToCount } from './mail-count-store.ts';

const limits = { perHour: 3, perDay: 10 };
const hourMs = 3600_000;
const start = Date.parse('2026-01-01T00:00:00Z');

/** One recipient's count; `take` tells whether a mail is admitted, `at` in hours. */
function recipient() {
  let counted: readonly CountedMail[] = [];
  let count = 0;
  return {
    take(mail: Partial<MailToCount> = {}, at = 0): boolean {
      const id = `mail ${++count}`;
      const taken = countMail(
        counted,
        { id, purpose: 'reset', asked_by: '', agreed: false, ...mail },
        limits,
        new Date(start + at * hourMs),
      );
      counted = taken ?? counted;
      return taken !== null;
    },
    size: () => counted.length,
  };
}
const taken = (times: number, take: (index: number) => boolean) =>
  Array.from({ length: times }, (_, index) => take(index)).filter(Boolean).length;

test('a recipient gets three mails of one purpose in an hour, and three more in the next', () => {
  const { take } = recipient();
  expect(taken(20, () => take())).toBe(3);
  expect(take({}, 0.99)).toBe(false);
  expect(taken(20, () => take({}, 1))).toBe(3);
});

test('a recipient gets ten mails in a day, whatever their purposes; the count stays bounded', () => {
  const { take, size } = recipient();
  expect(taken(40, (index) => take({ purpose: `purpose ${index}` }))).toBe(10);
  expect(taken(40, (index) => take({ purpose: `purpose ${index}` }, 23.9))).toBe(0);
  expect(taken(40, (index) => take({ purpose: `purpose ${index}` }, 24))).toBe(10);
  expect(size()).toBe(10);
});

test('whatever others ask for, mails that the recipient asks for are sent', () => {
  const { take } = recipient();
  for (let index = 0; index < 100; index++) take({ asked_by: `network ${index % 7}`, purpose: `purpose ${index % 5}` });
  expect(take({ asked_by: askedByRecipient, purpose: 'purpose 1' })).toBe(true);
});

test('one network does not use up what another one may ask for', () => {
  const { take } = recipient();
  expect(taken(20, () => take({ asked_by: 'attacker' }))).toBe(2);
  expect(take({ asked_by: 'a new place of the recipient' })).toBe(true);
});

test('a mail is counted once, however often it is attempted, and stays admitted', () => {
  const { take } = recipient();
  expect(taken(20, () => take({ id: 'one mail' }))).toBe(20);
  expect(taken(20, () => take())).toBe(2);
  expect(take({ id: 'one mail' })).toBe(true);
});

test('form mails to a recipient who agreed are counted apart from all others', () => {
  const { take } = recipient();
  expect(taken(20, () => take({ purpose: 'form', agreed: true }))).toBe(3);
  expect(taken(20, () => take({ purpose: 'form' }))).toBe(3);
});
