import { AppError } from '@webkiln/contract';
import { assertMatches, etagOf, saveWithRetry } from './etag.ts';

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
