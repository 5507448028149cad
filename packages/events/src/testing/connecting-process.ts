/** A process for tests: it ends as soon as it is connected to NATS_URL. Until then its log says why it is not. */
import { pause } from '@webkiln/runtime';
import { closeEvents, connectEvents, eventsCheck } from '../connection.ts';

const isConnected = () =>
  eventsCheck().then(
    () => true,
    () => false,
  );

await connectEvents(process.env.NATS_URL ?? '', 'connecting');
while (!(await isConnected())) await pause(20);
await closeEvents();
