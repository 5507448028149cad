import { AppError, type Change, type FormSettings, type Project } from '@webkiln/contract';
import { defineModel, gatheredById, isDuplicate, type Scope, saveChange, scoped } from '@webkiln/store';
import { type FormSettingsState, firstSettings } from './form-settings.ts';

export const FormSettingsModel = defineModel<FormSettingsState>(
  'form_settings',
  {
    user_id: { type: String, required: true },
    notify: { type: Boolean, required: true },
    notification_email: { type: String, default: null },
  },
  { ownedBy: 'user_id' },
);

const byId = gatheredById(FormSettingsModel);

/** Of a project that the organization has; revision 0 where nobody has changed them. */
export async function settingsOf(
  scope: Scope,
  { id: _id, user_id }: Pick<Project, 'id' | 'user_id'>,
): Promise<FormSettings & { _id: string; user_id: string; revision: number }> {
  return (await byId(scope, _id)) ?? { _id, user_id, revision: 0, ...firstSettings };
}

type Current = Awaited<ReturnType<typeof settingsOf>>;

/** Throws `edited_meanwhile` when they are not at that revision any more. Returns them as they are now. */
export async function saveSettings(scope: Scope, current: Current, change: Change<Partial<FormSettings>>): Promise<Current> {
  if (current.revision > 0) return saveChange(FormSettingsModel, scope, current, change);
  const { revision: _none, ...first } = { ...current, ...change.state };
  try {
    await scoped(FormSettingsModel, scope).insert(first);
    return { ...first, revision: 1 };
  } catch (error) {
    throw isDuplicate(error, '_id') ? new AppError('edited_meanwhile', [], { cause: error }) : error;
  }
}

export const dropSettings = (scope: Scope, projectId: string) => scoped(FormSettingsModel, scope).deleteOne({ _id: projectId });
