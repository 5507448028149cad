import type { Project } from '@webkiln/contract';
import { auditEvent, type Caller, Change } from '@webkiln/messages';
import { defineModel, insertChange, newId } from '@webkiln/store';

/** An export changes no record: this one holds its audit entry until it is published, and then expires. */
const ExportModel = defineModel<{ expires_at: Date }>(
  'exports',
  { expires_at: { type: Date, required: true } },
  { exportedAs: null, raisesEvents: true, indexesAcross: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/** Audits that the caller exports a project's submissions. A call that is repeated is audited again. */
export async function recordExport(caller: Caller, { id, name }: Pick<Project, 'id' | 'name'>): Promise<void> {
  const audited = auditEvent(caller, 'submissions.exported', { kind: 'project', id, name });
  await insertChange(ExportModel, caller, new Change({ _id: newId(undefined), expires_at: new Date() }, [audited]));
}
