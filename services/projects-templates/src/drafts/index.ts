import type { UseCase } from '@webkiln/rpc';
import { getDraft, getRevisionFile, listRevisionFiles, listRevisions, readDraft } from './read-drafts.ts';
import { restoreRevision } from './restore-revision.ts';
import { dropTurn, writeTurn } from './write-turn.ts';

export const draftUseCases: UseCase[] = [
  readDraft,
  getDraft,
  writeTurn,
  dropTurn,
  listRevisions,
  restoreRevision,
  listRevisionFiles,
  getRevisionFile,
];
