import type { Migration } from '@webkiln/store';
import { assignEmbedClientPlaces } from './embed-clients/embed-client-store.ts';
import { assignKeyPlaces } from './keys/key-places.ts';
import { assignMemberPlaces } from './members/member-store.ts';

/** What `migrate` does to stored documents, besides what their models say. */
export const migrations: readonly Migration[] = [
  { name: 'places of keys', run: assignKeyPlaces },
  { name: 'places of members', run: assignMemberPlaces },
  { name: 'places of embed clients', run: assignEmbedClientPlaces },
];
