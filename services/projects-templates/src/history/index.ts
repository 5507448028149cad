import type { UseCase } from '@webkiln/rpc';
import { listChanges } from './list-changes.ts';
import { listHistory } from './list-history.ts';

export const historyUseCases: UseCase[] = [listHistory, listChanges];
