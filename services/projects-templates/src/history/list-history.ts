import type { HistoryEntry } from '@webkiln/contract';
import { type Caller, onBehalf, type StoredAuthor } from '@webkiln/messages';
import { call, handle } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { existingProject } from '../projects/project-store.ts';
import { type Version, versionsOf } from './version.ts';

export const listHistory = handle('projects.ListHistory', async ({ project_id, limit, offset }, caller) => {
  const versions = versionsOf(await existingProject(caller, project_id));
  const page = versions.slice(offset, limit === undefined ? undefined : offset + limit);
  const names = await namesOf(page.flatMap(({ author }) => author ?? []).filter(isNamedTo(caller)), caller);
  return { history: page.map((version) => toEntry(version, names)), total: versions.length };
});

const isOfAccount = ({ kind }: StoredAuthor) => kind === 'person' || kind === 'agent';

/** A client's user does not read who works for its agency. */
const isNamedTo =
  ({ principal: { user_id, account_id } }: Caller) =>
  (author: StoredAuthor): boolean =>
    user_id === undefined || (isOfAccount(author) && author.id === account_id);

/** Without identity, entries have no names. */
async function namesOf(authors: readonly StoredAuthor[], caller: Caller): Promise<ReadonlyMap<string, string>> {
  const account_ids = [...new Set(authors.filter(isOfAccount).map(({ id }) => id))];
  const key_ids = [...new Set(authors.filter(({ kind }) => kind === 'api_key').map(({ id }) => id))];
  if (account_ids.length + key_ids.length === 0) return new Map();
  try {
    const { names } = await call('identity.NameAuthors', { account_ids, key_ids }, onBehalf('projects-templates', caller));
    return new Map(names.map(({ id, name }) => [id, name]));
  } catch (err) {
    logger.warn({ err }, 'authors of a history not named; it is sent without their names');
    return new Map();
  }
}

/** The public record. */
function toEntry({ manifest_id, author, ...entry }: Version, names: ReadonlyMap<string, string>): HistoryEntry {
  if (author === undefined) return { ...entry, author: null };
  const { kind, id, agent = null } = author;
  return { ...entry, author: { kind, id, name: names.get(id) ?? null, agent } };
}
