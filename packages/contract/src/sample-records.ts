import * as z from 'zod';
import { Client } from './areas/clients.ts';
import { Project } from './areas/projects.ts';

/** The organization and the moment (ISO 8601) that a sample is about. */
export interface SampleContext {
  readonly org_id: string;
  readonly at: string;
}

/** Well-formed UUIDs that random generation never yields. */
export const sampleId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/**
 * A record with these values; every other field is null, false, 0, an empty list or the first value of its enum, and an
 * optional one is left out.
 */
export function sampleOf<S extends z.ZodObject>(schema: S, values: Partial<z.output<S>>): z.output<S> {
  const given = values as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(schema.shape)
      .filter(([name, field]) => name in given || !(field instanceof z.ZodOptional))
      .map(([name, field]) => [name, given[name] ?? emptyValue(name, field as z.ZodType)]),
  ) as z.output<S>;
}

function emptyValue(name: string, field: z.ZodType): unknown {
  if (field instanceof z.ZodNullable) return null;
  if (field instanceof z.ZodBoolean) return false;
  if (field instanceof z.ZodNumber) return 0;
  if (field instanceof z.ZodArray) return [];
  if (field instanceof z.ZodEnum) return field.options[0];
  throw new TypeError(`the sample needs a value for the field ${name}`);
}

export const sampleClient = ({ at }: SampleContext): Client =>
  sampleOf(Client, {
    id: sampleId(1),
    email: 'ada@example.com',
    name: 'Ada Byron',
    company: 'Byron & Daughters',
    status: 'active',
    created_at: at,
  });

export const sampleProject = ({ org_id, at }: SampleContext): Project =>
  sampleOf(Project, {
    id: sampleId(2),
    user_id: sampleId(3),
    org_id,
    org_client_id: sampleId(1),
    name: 'Byron & Daughters',
    created_at: at,
    updated_at: at,
  });

export const samplePublishedProject = (context: SampleContext): Project => ({
  ...sampleProject(context),
  published_url: 'https://byron.example.com/',
  last_published_at: context.at,
});
