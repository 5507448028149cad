import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { closeEvents, connectEvents } from '@webkiln/events';
import { theBus } from '@webkiln/events/streams';
import { messagesOn, ownStream, removeStream } from '@webkiln/events/testing';
import { connectTo, startReplica } from '@webkiln/rpc/testing';
import { until } from '@webkiln/store/testing';
import { startIngest } from '../ingest/start-ingest.ts';
import { decodeMessage, type View } from '../views/view.ts';
import { ViewsStream } from '../views/views-stream.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Asked {
  readonly host?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** A browser that is in use, as its header has it. */
export const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/** One request, its path as it is given. */
export async function ask(
  port: number,
  path: string,
  { host = 'shop.sites.test', method = 'GET', headers = {}, body }: Asked = {},
): Promise<Answer> {
  const sent = request({ host: '127.0.0.1', port, path, method, headers: { 'user-agent': browser, ...headers, host }, agent: false });
  sent.end(body);
  const [response] = await once(sent, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
}

/** What stands on a stream of views, in its order. */
export const viewsOn = async (stream: string, servers?: string): Promise<View[]> =>
  (await messagesOn(stream, servers)).flatMap((message) => decodeMessage(message.string()));

/** Where NATS is never away, nothing is to depend on how fast it is. */
const patientMs = 120_000;

interface Options {
  readonly natsUrl?: string;
  readonly maxBytes?: number;
  readonly perAddress?: number;
  /** Whether something is published under a name, as projects-templates says; without it nobody is there to ask. */
  readonly isPublished?: (name: string) => Promise<boolean>;
}

/** Ingest as its process runs it, in this one, with a stream of its own; `await using` ends it. */
export async function runIngest({
  natsUrl = process.env.NATS_URL ?? '',
  maxBytes = 16 * 1024 ** 2,
  perAddress = 100_000,
  isPublished,
}: Options = {}) {
  const { stream: name, subjectPrefix } = ownStream();
  await connectEvents(natsUrl, 'test', { subjectPrefix });
  const replica =
    isPublished && (await startReplica({ 'sites.IdentifySite': async (asked) => ({ found: await isPublished(asked.name) }) }));
  const peers = connectTo('carried', [replica?.port ?? 9]);
  const stream = new ViewsStream(theBus(), { name, maxBytes });
  const settings = { SITES_ORIGIN: 'https://sites.test', VIEWS_PER_ADDRESS: perAddress, HTTP_PORT: 0, BIND_ADDRESS: '127.0.0.1' };
  const { port, drain } = await startIngest(settings, stream, natsUrl === process.env.NATS_URL ? { ackWithinMs: patientMs } : {});
  const answers = (path: string, asked?: Asked) => ask(port, path, asked);
  return {
    port,
    stream: name,
    subjectPrefix,
    ask: answers,
    collect: (events: unknown, asked: Asked = {}) =>
      answers('/api/collect', { method: 'POST', body: JSON.stringify({ events }), ...asked }),
    views: () => viewsOn(name, natsUrl),
    /** Resolves when views are taken: the salt of the day is known. */
    ready: () => until(async () => (await answers('/t.gif?p=/ready')).status === 200),
    async [Symbol.asyncDispose]() {
      await drain();
      await closeEvents();
      await peers[Symbol.asyncDispose]();
      await replica?.drain();
      if (natsUrl === process.env.NATS_URL) for (const made of [name, `KV_${name}_salts`]) await removeStream(made);
    },
  };
}
