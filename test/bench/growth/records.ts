import { randomUUID } from 'node:crypto';
import { textParts } from '@webkiln/store/testing';
import type { Document, MongoClient } from 'mongodb';

const batchSize = 5_000;
/** Beyond the numbers of the originals. */
const firstNumber = 3_000_000_000;
/** Below the random places that the API gives. */
const placeOf = (number: number) => -1 - number;

interface Record extends Document {
  readonly _id: string;
}

/** What differs between two records of a kind. */
type Distinct = (number: number) => object;

interface Kind {
  readonly database: string;
  readonly collection: string;
  readonly distinct: Distinct;
}

const emailOf = (number: number) => `client-${number}@example.test`;

/** The collections that grow with the number of projects and clients. */
const kinds: readonly Kind[] = [
  {
    database: 'webkiln_clients_plans',
    collection: 'clients',
    distinct: (number) => ({ user_id: randomUUID(), email: emailOf(number), email_folded: emailOf(number), place: placeOf(number) }),
  },
  { database: 'webkiln_clients_plans', collection: 'orders', distinct: (number) => ({ number: firstNumber + number }) },
  {
    database: 'webkiln_projects_templates',
    collection: 'projects',
    distinct(number) {
      const name = `Site ${number}`;
      const owner = { org_client_id: randomUUID(), user_id: randomUUID(), site_place: 0 };
      return { ...owner, name, name_parts: textParts(name), place: placeOf(number), subdomain: `growth-${number}` };
    },
  },
  { database: 'webkiln_identity', collection: 'audit_entries', distinct: (number) => ({ sequence: firstNumber + number }) },
];

/** A half of all records is the first organization's; the others have equal shares of the rest. */
const ownerOf = (number: number, [first = '', ...others]: readonly string[]): string =>
  number % 2 === 0 || others.length === 0 ? first : (others[(number >> 1) % others.length] as string);

interface Growth {
  /** The first has one record of each kind, made through the API. */
  readonly organizations: readonly string[];
  readonly from: number;
  readonly to: number;
}

/**
 * Copies the record of each kind that the first organization has, with other names: the copies numbered `from` to `to`.
 * Each is a second older than the one before.
 */
export async function growRecords(mongodb: MongoClient, { organizations, from, to }: Growth): Promise<void> {
  for (const { database, collection, distinct } of kinds) {
    const records = mongodb.db(database).collection<Record>(collection);
    const original = await records.findOne({ org_id: organizations[0] ?? '' }, { sort: { created_at: 1 } });
    if (original === null) throw new Error(`${collection} has no record to copy`);
    const newest = new Date(original.created_at ?? Date.now()).getTime();
    const isDate = original.created_at instanceof Date;
    for (let first = from; first < to; first += batchSize) {
      const batch = Array.from({ length: Math.min(batchSize, to - first) }, (_, index): Record => {
        const number = first + index;
        const at = new Date(newest - number * 1_000);
        const created_at = isDate ? at : at.toISOString();
        return { ...original, ...distinct(number), _id: randomUUID(), org_id: ownerOf(number, organizations), created_at, outbox: [] };
      });
      await records.insertMany(batch, { ordered: false, writeConcern: { w: 1, journal: false } });
    }
  }
}
