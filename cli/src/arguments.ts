import { type WebhookEvent, webhookEvents } from '@webkiln/contract';
import { InvalidArgumentError, Option } from 'commander';
import type * as z from 'zod';

/** The option with the organization that a command is for. */
export interface InOrganization {
  org: string;
}

export const organizationOption = () => new Option('--org <id|slug>', 'the organization').makeOptionMandatory();

/** Parses a setting of the processes as they check it themselves. */
export const settingOf =
  (schema: z.ZodType<string>) =>
  (text: string): string => {
    const { success, data, error } = schema.safeParse(text);
    if (!success) throw new InvalidArgumentError(`It ${error.issues[0]?.message}.`);
    return data;
  };

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It takes a whole number.');
  return Number(text);
}

/** Parses an ISO 8601 date or time. A date is its first moment in UTC. */
export function time(text: string): string {
  if (!/^\d{4}-\d{2}-\d{2}(T.+)?$/.test(text) || Number.isNaN(Date.parse(text)))
    throw new InvalidArgumentError('It takes a date or a time.');
  return new Date(text).toISOString();
}

export const commaSeparated = (text: string): string[] => text.split(',').map((item) => item.trim());

const isWebhookEvent = (name: string): name is WebhookEvent => (webhookEvents as readonly string[]).includes(name);

export function eventNames(text: string): readonly WebhookEvent[] {
  const names = commaSeparated(text);
  if (!names.every(isWebhookEvent)) throw new InvalidArgumentError(`The events are ${webhookEvents.join(', ')}.`);
  return names;
}

/** Parses an http or https address. Rejects credentials in it, because fetch does. */
export function webAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== '') {
    throw new InvalidArgumentError('It takes an address such as http://localhost:3000/hook.');
  }
  return url.href;
}

/** Checks a secret in the format of Standard Webhooks 1.0: `whsec_` and the base64 of 24 to 64 bytes. */
export function signingSecret(text: string): string {
  const [, key = ''] = /^whsec_([\w+/]+={0,2})$/.exec(text) ?? [];
  const { length } = Buffer.from(key, 'base64');
  if (length < 24 || length > 64) throw new InvalidArgumentError('It takes whsec_ and the base64 of 24 to 64 bytes.');
  return text;
}
