import { localReceivers } from '../../../harness/local-receivers.ts';
import { apiFlood } from './api-flood.ts';
import type { Nuisance } from './nuisance.ts';
import { slowPosts } from './slow-posts.ts';
import { tricklingUploads } from './trickling-uploads.ts';
import { unknownKeys } from './unknown-keys.ts';
import { unreadFiles } from './unread-files.ts';

/** All of them, in the order of the table in docs/reliability.md. */
export const nuisances: readonly Nuisance[] = [apiFlood, slowPosts, unknownKeys, tricklingUploads, unreadFiles];

/** The settings of a platform for one or several nuisances. */
export const neighbourSettings = (chosen: readonly Nuisance[]): NodeJS.ProcessEnv =>
  Object.assign({ FORMS_PER_SITE_HOUR: '1000000' }, localReceivers, ...chosen.map(({ settings }) => settings));
