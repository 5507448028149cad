import type { RequestBatch } from '@webkiln/contract';
import type { Bus } from './bus.ts';
import { LossyStream } from './lossy-stream.ts';

const maxBytes = 256 * 1024 ** 2;

/** The stream of what gateways answered, for usage and the request log; its name is a test's to choose. */
export const answeredRequests = (bus: Bus, name = `${bus.settings.prefix}REQUESTS`): LossyStream<RequestBatch> =>
  new LossyStream(bus, { name, subject: 'requests.answered', maxBytes });
