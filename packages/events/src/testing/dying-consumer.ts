/** A process for tests: it dies (kill -9) in the middle of its first effect, after the write and before the commit. */
import { connectStore } from '@webkiln/store';
import { connectEvents } from '../connection.ts';
import { consume } from '../consume/consume.ts';
import { add } from './tallies.ts';

const { MONGODB_URL = '', NATS_URL = '', DATABASE = '', STREAM = '', SUBJECT_PREFIX = '', CONSUMER = '' } = process.env;

await connectStore(MONGODB_URL, DATABASE);
await connectEvents(NATS_URL, 'dying', { stream: STREAM, subjectPrefix: SUBJECT_PREFIX });
consume({
  name: CONSUMER,
  types: ['internal.template.deleted'],
  ackWaitMs: 1_000,
  transactionalHandler: async (event, session) => {
    await add(event, session);
    process.kill(process.pid, 'SIGKILL');
  },
});
