import type { UseCase } from '@webkiln/rpc';
import { exportProject } from './export-project.ts';

export const exportUseCases: UseCase[] = [exportProject];
