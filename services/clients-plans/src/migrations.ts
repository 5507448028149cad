import type { Migration } from '@webkiln/store';
import { assignClientPlaces } from './clients/add-client.ts';

/** What `migrate` does to stored documents, besides what their models say. */
export const migrations: readonly Migration[] = [{ name: 'places of clients', run: assignClientPlaces }];
