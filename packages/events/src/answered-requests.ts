import type { RequestBatch } from '@webkiln/contract';
import type { Bus } from './bus.ts';
import { FireAndForgetStream } from './fire-and-forget-stream.ts';

const maxBytes = 256 * 1024 ** 2;

/** The stream of the requests that gateways answered, for usage and the request log; tests choose its name. */
export const answeredRequests = (bus: Bus, name = `${bus.settings.prefix}REQUESTS`): FireAndForgetStream<RequestBatch> =>
  new FireAndForgetStream(bus, { name, subject: 'requests.answered', maxBytes });
