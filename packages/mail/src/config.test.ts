import { readConfig } from '@webkiln/runtime';
import * as z from 'zod';
import { mailConfig, mailGoesOut } from './config.ts';

const schema = z.object({ ...mailConfig }).refine(...mailGoesOut);
const env = { MAIL_DIR: 'mail' };

test('the sender of mails may have a name', () => {
  expect(readConfig(schema, { ...env, MAIL_FROM: 'Kiln Studio <hello@kiln.example>' })).toMatchObject({
    MAIL_FROM: { name: 'Kiln Studio', address: 'hello@kiln.example' },
  });
  expect(readConfig(schema, { ...env, MAIL_FROM: 'hello@kiln.example' }).MAIL_FROM.name).toBe('hello@kiln.example');
});

test.each([
  ['SMTP_URL', { MAIL_DIR: '' }],
  ['SMTP_URL', { SMTP_URL: 'http://mail.example' }],
  ['MAIL_FROM', { MAIL_FROM: 'Kiln Studio' }],
  ['MAIL_FROM', { MAIL_FROM: 'a@example.com, b@example.com' }],
])('a configuration without a transport or sender is refused with the name of the variable: %s %p', (name, wrong) => {
  expect(() => readConfig(schema, { ...env, ...wrong })).toThrow(new RegExp(`\\n  ${name} `));
});
