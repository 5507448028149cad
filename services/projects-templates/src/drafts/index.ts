import type { UseCase } from '@webkiln/rpc';
import { dropTurn } from './drop-turn.ts';
import { getRevisionFile } from './get-revision-file.ts';
import { listRevisionFiles } from './list-revision-files.ts';
import { listRevisions } from './list-revisions.ts';
import { readDraft } from './read-draft.ts';
import { restoreRevision } from './restore-revision.ts';
import { writeTurn } from './write-turn.ts';

export const draftUseCases: UseCase[] = [
  readDraft,
  writeTurn,
  dropTurn,
  listRevisions,
  restoreRevision,
  listRevisionFiles,
  getRevisionFile,
];
