import { AppError } from '@webkiln/contract';
import { assertMatches, etagOf, LostRace, saveWithRetry } from './etag.ts';

const record = { revision: 5 };
const lost = () => Promise.reject(new AppError('edited_meanwhile'));

test('an entity tag is strong, quoted and unique to the revision', () => {
  expect(etagOf(record)).toBe('"r5"');
});

test.each([undefined, '*', ' * ', '"r5"', '"r4", "r5"', '"r4","r5"', 'W/"r4", "r5"', '"a,b", "r5"'])(
  'If-Match %p lets the change through (RFC 9110 §13.1.1)',
  (ifMatch) => {
    expect(() => assertMatches({ ifMatch }, record)).not.toThrow();
  },
);

test.each(['"r4"', 'W/"r5"', '"r55"', '"r4", W/"r5"'])('If-Match %p names other states of the record', (ifMatch) => {
  expect(() => assertMatches({ ifMatch }, record)).toThrow(expect.objectContaining({ code: 'edited_meanwhile', status: 412 }));
});

test.each(['r5', '', '"r5', '"a,"r5""', 'x "r5"', '"r4" "r5"'])('If-Match %p names no ETag with its quotes, and is told so', (ifMatch) => {
  expect(() => assertMatches({ ifMatch }, record)).toThrow(expect.objectContaining({ code: 'if_match_unquoted', status: 412 }));
});

test('a lost race is retried for a caller without If-Match', async () => {
  const attempt = jest.fn(lost).mockImplementationOnce(lost);
  attempt.mockImplementationOnce(lost).mockResolvedValueOnce('saved' as never);
  expect(await saveWithRetry({}, attempt)).toBe('saved');
  expect(attempt).toHaveBeenCalledTimes(3);
});

test('a caller without If-Match never gets edited_meanwhile, but overloaded after twenty lost races', async () => {
  const attempt = jest.fn(lost);
  await expect(saveWithRetry({}, attempt)).rejects.toMatchObject({ code: 'overloaded' });
  expect(attempt).toHaveBeenCalledTimes(20);
});

test('a caller with If-Match gets edited_meanwhile after the first lost race', async () => {
  const attempt = jest.fn(lost);
  await expect(saveWithRetry({ ifMatch: '"r5"' }, attempt)).rejects.toMatchObject({ code: 'edited_meanwhile' });
  expect(attempt).toHaveBeenCalledTimes(1);
});

test('other errors are not retried', async () => {
  const attempt = jest.fn(() => Promise.reject(new AppError('project_not_found')));
  await expect(saveWithRetry({}, attempt)).rejects.toMatchObject({ code: 'project_not_found' });
  expect(attempt).toHaveBeenCalledTimes(1);
});

test('callers that name a record take turns at it, so that none of them loses a race; other records wait for nobody', async () => {
  let stored = 0;
  let lostRaces = 0;
  const save = async () => {
    const read = stored;
    await new Promise(setImmediate);
    if (stored !== read) {
      lostRaces++;
      throw new LostRace('one');
    }
    stored++;
  };
  const other = Promise.withResolvers<void>();
  const waiting = saveWithRetry({}, () => other.promise, 'other');
  await Promise.all(Array.from({ length: 50 }, () => saveWithRetry({}, save, 'one')));
  expect([stored, lostRaces]).toEqual([50, 0]);
  other.resolve();
  await waiting;
});

test('a caller whose deadline passes before its turn gets overloaded, and changes nothing', async () => {
  const before = Promise.withResolvers<void>();
  const first = saveWithRetry({}, () => before.promise, 'record');
  const attempt = jest.fn(lost);
  const late = saveWithRetry({ deadlineAt: Date.now() }, attempt, 'record');
  before.resolve();
  await first;
  await expect(late).rejects.toMatchObject({ code: 'overloaded' });
  expect(attempt).not.toHaveBeenCalled();
});
