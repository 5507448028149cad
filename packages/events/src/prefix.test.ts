import { answeredRequests } from './answered-requests.ts';
import { theBus } from './bus.ts';
import { closeEvents, connectEvents } from './connection.ts';

afterEach(closeEvents);

test.each([[''], ['other_']])('platforms on one NATS share no stream or subject: prefix "%s"', async (prefix) => {
  await connectEvents(process.env.NATS_URL ?? '', 'test', { subjectPrefix: prefix });
  const streams = [...Object.values(theBus().streams), answeredRequests(theBus())];
  expect(streams.map(({ name, subjects }) => [name, subjects])).toEqual([
    [`${prefix}EVENTS`, [`${prefix}events.>`, `${prefix}internal.>`]],
    [`${prefix}MAILS`, [`${prefix}mails.>`]],
    [`${prefix}AUDIT`, [`${prefix}audit.>`]],
    [`${prefix}FORMS`, [`${prefix}forms.>`]],
    [`${prefix}REQUESTS`, [`${prefix}requests.answered`]],
  ]);
});
