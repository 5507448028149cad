import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Client, endpoints, FormFields, Project, webhookEvents } from '@webkiln/contract';
import * as z from 'zod';
import { WebhooksConfig } from '../../services/webhooks/src/config.ts';
import { examples } from './example-languages.ts';

const guide = readFileSync(path.join(examples, '../../webhooks.md'), 'utf8');

/** The contents of the guide's blocks in a language. */
const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, content = '']) => content);

test.each([
  ['ts', 'verify.ts'],
  ['python', 'verify.py'],
  ['go', 'verify.go'],
])('the guide shows the example that is tested: %s', (language, file) => {
  expect(blocks(language)).toEqual([readFileSync(path.join(examples, file), 'utf8')]);
});

test('every event has its row, and every payload in the guide is one that the contract allows', () => {
  for (const event of webhookEvents) expect(guide).toContain(`\n| \`${event}\` |`);
  const Payload = z.strictObject({
    id: z.uuid(),
    type: z.enum(webhookEvents),
    timestamp: z.iso.datetime(),
    org_id: z.uuid(),
    api_version: z.literal('v1'),
    data: z
      .strictObject({
        client: z.strictObject(Client.shape),
        previous: z.strictObject(Client.shape).partial(),
        project: z.strictObject(Project.shape),
        form: z.strictObject({ id: z.uuid(), name: z.string(), page: z.string(), fields: FormFields, submitted_at: z.iso.datetime() }),
      })
      .partial(),
  });
  const payloads = blocks('json').map((text) => Payload.parse(JSON.parse(text)));
  expect(payloads.map(({ type }) => type)).toEqual(['client.updated', 'project.created', 'form.submitted']);
});

test('every request in the guide is one that the API has', () => {
  const requests = [...guide.matchAll(/^curl (?:-X (\w+) )?"\$API([^"?]*)/gm)].map(
    ([, method = 'GET', route = '']) => `${method} ${route.replace('$WEBHOOK', '{webhookId}').replace('$DELIVERY', '{deliveryId}')}`,
  );
  const known = Object.values(endpoints).map(({ method, path: route }) => `${method} ${route}`);
  expect(requests.length).toBeGreaterThan(5);
  expect(known).toEqual(expect.arrayContaining(requests));
});

test('the schedule and the limits in the guide are the ones that hold unless others are set', () => {
  const { shape } = WebhooksConfig;
  const prose = guide.replaceAll(/\s+/g, ' ');
  const unit = { s: 1, min: 60, h: 3600 };
  const waits = [...guide.matchAll(/^\| \d+ \| (\d+) (s|min|h) \|/gm)].map(
    ([, count, each]) => Number(count) * unit[each as keyof typeof unit],
  );
  expect(waits).toEqual(shape.WEBHOOK_RETRY_WAITS.parse(undefined).map((ms) => ms / 1000));
  expect(prose).toContain(`within ${shape.WEBHOOK_TIMEOUT.parse(undefined) / 1000} seconds`);
  expect([prose.includes('for five days without'), shape.WEBHOOK_DISABLE_AFTER.parse(undefined)]).toEqual([true, 5 * 24 * 3600_000]);
  expect(prose).toContain(`kept for ${shape.WEBHOOK_RETENTION_DAYS.parse(undefined)} days`);
  expect(prose).toContain(`gets at most ${shape.WEBHOOK_ENDPOINT_CONCURRENCY.parse(undefined)} requests`);
  expect(prose).toContain(`up to ${shape.WEBHOOK_ENDPOINTS_MAX.parse(undefined)} webhooks`);
});
