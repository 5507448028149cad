import type { Nuisance } from '../nuisance.ts';
import { apiFlood } from './api-flood.ts';
import { floodOfEvents } from './flood-of-events.ts';
import { formFlood } from './form-flood.ts';
import { hangingEndpoints } from './hanging-endpoints.ts';
import { hostilePictures } from './hostile-pictures.ts';
import { hostileZips } from './hostile-zips.ts';
import { LargeReplay } from './large-replay.ts';
import { refusedMails } from './refused-mails.ts';
import { slowPosts } from './slow-posts.ts';
import { strangers } from './strangers.ts';
import { tricklingUploads } from './trickling-uploads.ts';
import { unknownKeys } from './unknown-keys.ts';
import { unreadFiles } from './unread-files.ts';
import { wrongPasswords } from './wrong-passwords.ts';

/** All of them, in the order of the table in docs/reliability.md. */
export const nuisancesWith = ({ replayedEvents }: { replayedEvents: number }): readonly Nuisance[] => [
  apiFlood,
  unknownKeys,
  slowPosts,
  tricklingUploads,
  hostileZips,
  hostilePictures,
  unreadFiles,
  wrongPasswords,
  floodOfEvents,
  formFlood,
  refusedMails,
  hangingEndpoints,
  new LargeReplay(replayedEvents),
  strangers,
];

/** All nuisances, as the drill runs them. */
export const nuisances = nuisancesWith({ replayedEvents: 300 });
