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

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface RequestOptions {
  readonly host?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** The User-Agent of a common browser. */
export const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/** Sends one request. The path is sent as given, without normalization. */
export async function ask(
  port: number,
  path: string,
  { host = 'shop.sites.test', method = 'GET', headers = {}, body }: RequestOptions = {},
): Promise<Answer> {
  const sent = request({ host: '127.0.0.1', port, path, method, headers: { 'user-agent': browser, ...headers, host }, agent: false });
  sent.end(body);
  const [response] = await once(sent, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
}

/** Returns the views on a stream, in order. */
export const viewsOn = async (stream: string, servers?: string): Promise<View[]> =>
  (await messagesOn(stream, servers)).flatMap((message) => decodeMessage(message.string()));

/** With the shared NATS, which is always up, no test may depend on its speed. */
const relaxedTimeoutMs = 120_000;

interface Options {
  readonly natsUrl?: string;
  readonly maxBytes?: number;
  readonly perAddress?: number;
  /** Answers for projects-templates whether a name is published. Default: projects-templates is down. */
  readonly isPublished?: (name: string) => Promise<boolean>;
}

/** Runs ingest in this process, with its own stream. Use with `await using`. */
export async function runIngest({
  natsUrl = process.env.NATS_URL ?? '',
  maxBytes = 16 * 1024 ** 2,
  perAddress = 100_000,
  isPublished,
}: Options = {}) {
  const { stream: name, subjectPrefix } = ownStream();
  await connectEvents(natsUrl, 'test', { subjectPrefix });
  const replica =
    isPublished && (await startReplica({ 'sites.IdentifySite': async (options) => ({ found: await isPublished(options.name) }) }));
  const peers = connectTo('carried', [replica?.port ?? 9]);
  const stream = new ViewsStream(theBus(), { name, maxBytes });
  const settings = { SITES_ORIGIN: 'https://sites.test', VIEWS_PER_ADDRESS: perAddress, HTTP_PORT: 0, BIND_ADDRESS: '127.0.0.1' };
  const { port, drain } = await startIngest(settings, stream, natsUrl === process.env.NATS_URL ? { ackTimeoutMs: relaxedTimeoutMs } : {});
  const send = (path: string, options?: RequestOptions) => ask(port, path, options);
  return {
    port,
    stream: name,
    subjectPrefix,
    ask: send,
    collect: (events: unknown, options: RequestOptions = {}) =>
      send('/api/collect', { method: 'POST', body: JSON.stringify({ events }), ...options }),
    views: () => viewsOn(name, natsUrl),
    /** Resolves when views are accepted, which needs the salt of the day. */
    ready: () => until(async () => (await send('/t.gif?p=/ready')).status === 200),
    async [Symbol.asyncDispose]() {
      await drain();
      await closeEvents();
      await peers[Symbol.asyncDispose]();
      await replica?.drain();
      if (natsUrl === process.env.NATS_URL) for (const made of [name, `KV_${name}_salts`]) await removeStream(made);
    },
  };
}
