/** A worker process for tests. All sites belong to the organization in ORGANIZATION. */
import { connectEvents } from '@webkiln/events';
import { theBus } from '@webkiln/events/streams';
import { connectStore } from '@webkiln/store';
import { ViewsStream } from '../views/views-stream.ts';
import { Workers } from '../workers/workers.ts';

const {
  MONGODB_URL = '',
  NATS_URL = '',
  DATABASE = '',
  STREAM = '',
  SUBJECT_PREFIX = '',
  PARTITIONS = '',
  ORGANIZATION = '',
} = process.env;

await connectStore(MONGODB_URL, DATABASE);
await connectEvents(NATS_URL, 'worker', { subjectPrefix: SUBJECT_PREFIX });
const stream = new ViewsStream(theBus(), { name: STREAM, maxBytes: 64 * 1024 ** 2 });
const owners = { getOwner: async (name: string) => ({ org_id: ORGANIZATION, project_id: name, user_id: 'user' }) };
new Workers(theBus(), stream, { partitions: Number(PARTITIONS), owners }).start();
process.on('disconnect', () => process.exit());
process.send?.('started');
