import { publicEvents, webhookEvents } from './events.ts';

const context = { org_id: '7d4f3c52-8a61-4b0e-9f6e-1b1d52a7c0de', at: '2026-03-02T09:45:30.004Z' };

test.each(webhookEvents)('the sample of %s satisfies the schema of its data, without further fields', (type) => {
  const { data, sample } = publicEvents[type];
  const strict = data.strict();
  const shown = sample(context);
  expect(strict.parse(shown)).toEqual(shown);
  for (const [name, schema] of Object.entries(data.shape)) {
    const record = (shown as Record<string, object>)[name];
    expect(schema.strict().parse(record)).toEqual(record);
  }
});
