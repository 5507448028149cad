import { randomUUID } from 'node:crypto';
import { textParts } from '@webkiln/store/testing';
import { type Document, MongoClient } from 'mongodb';
import { type BenchOrganization, newOrganization } from '../organization.ts';
import type { BenchPlatform } from '../platform.ts';

const batchSize = 5_000;
/** Beyond the random place of the original. */
const firstPlace = 100_000_000;

interface Project extends Document {
  readonly _id: string;
  readonly created_at: string;
}

export interface LargeOrganization extends BenchOrganization {
  readonly projectId: string;
  /** The project that has a share (0 to 1) of the list before it. */
  at(share: number): Project;
}

/** An organization with `count` projects: one is made through the API, the others are its copies with other names. */
export async function organizationWith(count: number, { baseUrl, mongoUrl }: BenchPlatform): Promise<LargeOrganization> {
  const organization = await newOrganization(1);
  const send = async (method: string, route: string, body: object) => {
    const headers = { ...organization.headers[0], 'content-type': 'application/json' };
    const response = await fetch(`${baseUrl}${route}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<{ client: { id: string }; project: { id: string } }>;
  };
  const email = `owner-of-${count}@example.test`;
  const { client } = await send('POST', '/clients', { email });
  await send('PATCH', `/clients/${client.id}`, { status: 'active' });
  const { project } = await send('POST', '/projects', { client_email: email, name: 'Site 0', description: 'A site' });
  const copies = await copy(mongoUrl, project.id, count - 1);
  return { ...organization, projectId: project.id, at: (share) => copies[Math.floor(share * (copies.length - 1))] as Project };
}

/** Returns the copies in the order of the list: newest first. */
async function copy(mongoUrl: string, id: string, count: number): Promise<Project[]> {
  const mongodb = await MongoClient.connect(mongoUrl);
  try {
    const projects = mongodb.db('webkiln_projects_templates').collection<Project>('projects');
    const original = await projects.findOne({ _id: id });
    if (original === null) throw new Error(`project ${id} is not in the database`);
    const oldest = Date.parse(original.created_at) - count * 1_000;
    const copies: Project[] = [];
    for (let from = 1; from <= count; from += batchSize) {
      const batch = Array.from({ length: Math.min(batchSize, count - from + 1) }, (_, index): Project => {
        const number = from + index;
        const place = firstPlace + number;
        const name = `Site ${number}`;
        const created_at = new Date(oldest + number * 1_000).toISOString();
        return { ...original, _id: randomUUID(), name, name_parts: textParts(name), created_at, place, site_place: place };
      });
      await projects.insertMany(batch, { ordered: false });
      for (const { _id, created_at } of batch) copies.push({ _id, created_at });
    }
    return copies.reverse();
  } finally {
    await mongodb.close();
  }
}
