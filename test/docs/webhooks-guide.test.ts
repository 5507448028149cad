import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client, operations, Project, SubmittedForm, webhookEvents } from '@webkiln/contract';
import * as z from 'zod';
import { WebhooksConfig } from '../../services/webhooks/src/config.ts';
import { availableLanguages, examples, type Language } from './example-languages.ts';
import { receiverKeepsGuarantees } from './receiver-guarantees.ts';

describe('webhooks guide', () => {
  const guide = readFileSync(path.join(examples, '../../docs/webhooks.md'), 'utf8');

  /** The code blocks of the guide in a language. */
  const blocks = (language: string): string[] =>
    [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, content = '']) => content);

  test.each([
    ['ts', 'verify.mts'],
    ['python', 'verify.py'],
    ['go', 'verify.go'],
  ])('the guide contains the tested %s example', (language, file) => {
    expect(blocks(language)).toEqual([readFileSync(path.join(examples, file), 'utf8')]);
  });

  test('the guide has a row for every event, and its payloads match the contract', () => {
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
          form: z.strictObject(SubmittedForm.shape),
        })
        .partial(),
    });
    const payloads = blocks('json').map((text) => Payload.parse(JSON.parse(text)));
    expect(payloads.map(({ type }) => type)).toEqual(['client.updated', 'project.created', 'form.submitted']);
  });

  test('every request in the guide exists in the API', () => {
    const requests = [...guide.matchAll(/^curl (?:-X (\w+) )?"\$API([^"?]*)/gm)].map(
      ([, method = 'GET', route = '']) => `${method} ${route.replace('$WEBHOOK', '{webhookId}').replace('$DELIVERY', '{deliveryId}')}`,
    );
    const known = Object.values(operations).map(({ method, path: route }) => `${method} ${route}`);
    expect(requests.length).toBeGreaterThan(5);
    expect(known).toEqual(expect.arrayContaining(requests));
  });

  test('the retry schedule and the limits in the guide are the defaults of the settings', () => {
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
    expect(prose).toContain(`up to ${shape.QUOTA_WEBHOOKS.parse(undefined)} webhooks`);
  });
});

describe('webhook examples', () => {
  const buildTimeoutMs = 300_000;

  const { available, missing } = availableLanguages();
  for (const language of missing) process.stderr.write(`Webhook example skipped: ${language}.\n`);

  // That in Python needs the SDK as it is built: test/contract/python-sdk.test.ts.
  describe.each(available)('the $name example', ({ build, run }: Language) => {
    beforeAll(async () => {
      if (build === undefined) return;
      await promisify(execFile)(build.program, build.args, { cwd: build.cwd, env: { ...process.env, ...build.env } });
    }, buildTimeoutMs);

    receiverKeepsGuarantees(() => run);
  });
});
