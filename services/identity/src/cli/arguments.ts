import { InvalidArgumentError, Option } from 'commander';

/** The organization that a command is about. */
export interface InOrganization {
  org: string;
}

export const organizationOption = () => new Option('--org <id|slug>', 'the organization').makeOptionMandatory();

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It takes a whole number.');
  return Number(text);
}

/** ISO 8601; a date alone is its first moment in UTC. */
export function time(text: string): string {
  if (!/^\d{4}-\d{2}-\d{2}(T.+)?$/.test(text) || Number.isNaN(Date.parse(text)))
    throw new InvalidArgumentError('It takes a date or a time.');
  return new Date(text).toISOString();
}

export const commaSeparated = (text: string): string[] => text.split(',').map((item) => item.trim());
