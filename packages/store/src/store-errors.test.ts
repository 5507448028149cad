import mongoose from 'mongoose';
import { answered, limitOperations } from './store-errors.ts';

const { MongoBulkWriteError, MongoServerError, MongoNetworkError, MongoServerSelectionError } = mongoose.mongo;
const plans = { collection: 'plans' };

beforeAll(() => mongoose.connect(process.env.MONGODB_URL ?? ''));
afterAll(() => mongoose.disconnect());

/** As the driver wraps what breaks a bulk write off. */
const bulk = (reason: Error) => new MongoBulkWriteError(reason as never, {} as never);
const thrown = (error: Error) => answered('find', plans, () => Promise.reject(error)).catch((caught: unknown) => caught);

test.each([
  ['a lost connection', new MongoNetworkError('connection 3 closed')],
  ['a server that is shutting down', new MongoServerError({ message: 'shutting down', code: 91 })],
  ['a server that has just started and does not know its state yet', new MongoServerError({ message: 'no config', code: 94 })],
  ['a majority that is not known yet', new MongoServerError({ message: 'not available yet', code: 134 })],
  ['a write whose retry met the failover too', new MongoServerError({ message: 'again', code: 1, errorLabels: ['RetryableWriteError'] })],
  ['a socket that the server has ended', Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' })],
  ['a cursor that its server lost in a restart', new MongoServerError({ message: 'cursor id 7 not found', code: 43 })],
  ['a bulk write that found no server', bulk(new MongoServerSelectionError('timed out', {} as never))],
  ['a bulk write whose server is shutting down', bulk(new MongoServerError({ message: 'shutting down', code: 91 }))],
  ['a write whose transaction took too long', new MongoServerError({ message: 'interrupted', code: 290 })],
  ['a commit with unknown outcome', new MongoServerError({ message: 'again', errorLabels: ['UnknownTransactionCommitResult'] })],
])('%s is `unavailable`, which callers see as 503, and its cause names MongoDB for the log', async (_what, error) => {
  const named = { message: expect.stringMatching(/^MongoDB: find plans: \w/), cause: error };
  expect(await thrown(error)).toMatchObject({ code: 'unavailable', cause: named });
});

test('a write conflict stays itself, so that its transaction starts again', async () => {
  const conflict = new MongoServerError({ message: 'conflict', code: 112, errorLabels: ['TransientTransactionError'] });
  expect(await thrown(conflict)).toBe(conflict);
});

test('a refused write stays itself', async () => {
  const duplicate = new MongoServerError({ message: 'E11000', code: 11_000 });
  expect(await thrown(duplicate)).toBe(duplicate);
});

test('an operation that the driver never ends is `unavailable` at the time limit', async () => {
  limitOperations(20);
  const endless = answered('find', plans, () => new Promise(() => undefined));
  await expect(endless).rejects.toMatchObject({ code: 'unavailable', cause: { message: 'MongoDB: find plans: no answer in time' } });
});
