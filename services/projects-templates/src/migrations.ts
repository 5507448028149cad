import { fillMissingParts, type Migration } from '@webkiln/store';
import { assignProjectPlaces } from './projects/project-places.ts';
import { ProjectModel } from './projects/project-store.ts';
import { dropSiteSlots } from './site-slots-store.ts';

/** What `migrate` does to stored documents, besides what their models say. */
export const migrations: readonly Migration[] = [
  { name: 'places of projects', run: assignProjectPlaces },
  { name: 'site slots are gone', run: dropSiteSlots },
  { name: 'projects can be searched', run: () => fillMissingParts(ProjectModel) },
];
