import { until } from '@webkiln/store/testing';
import { NatsError } from 'nats';
import { findBus, theBus } from '../bus.ts';
import { closeEvents, connectEvents } from '../connection.ts';
import { NatsServer } from '../testing/nats-server.ts';
import { TurnStream } from './turn-stream.ts';

const turnId = 'turn-1';
const { signal } = new AbortController();
let nats: NatsServer;
let stream: TurnStream;

beforeEach(async () => {
  nats = await NatsServer.notYetStarted();
  await nats.start();
  await connectEvents(nats.url, 'test');
  await until(() => findBus()?.connection !== undefined);
  stream = new TurnStream(theBus());
  await stream.publish(turnId, 1, '"a part"');
});
afterEach(async () => {
  await closeEvents();
  await nats.remove();
});

const refusalOf = (asked: Promise<unknown>) => asked.then(() => undefined).catch((error) => error);

test('asking for a turn while NATS hangs is `unavailable`, which callers see as 503', async () => {
  await nats.pause();
  const asked = await Promise.all([stream.read(turnId, 0, signal), stream.hasRest(turnId, 1)].map(refusalOf));
  expect(asked).toMatchObject([{ code: 'unavailable' }, { code: 'unavailable' }]);
});

test('asking for a turn while this process stops is `unavailable`', async () => {
  await nats.pause();
  const asked = [stream.read(turnId, 0, signal), stream.hasRest(turnId, 1)].map(refusalOf);
  await closeEvents();
  expect(await Promise.all([...asked, refusalOf(stream.read(turnId, 0, signal))])).toMatchObject([
    { code: 'unavailable' },
    { code: 'unavailable' },
    { code: 'unavailable' },
  ]);
});

test('asking for a turn that NATS has lost with its disk is `unavailable` until there is a stream again', async () => {
  await nats.kill();
  nats.empty();
  await nats.start();
  let refusal: { code?: string; cause?: unknown } = {};
  await until(async () => {
    refusal = await refusalOf(stream.read(turnId, 0, signal));
    const said = refusal.cause ?? refusal;
    return said instanceof NatsError && said.api_error !== undefined;
  });
  expect(refusal).toMatchObject({ code: 'unavailable' });
});
