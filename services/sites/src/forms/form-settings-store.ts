import { AppError, type Change, type FormSettings } from '@webkiln/contract';
import { defineModel, gatheredById, isDuplicate, type Scope, saveChange, scoped } from '@webkiln/store';
import { type FormSettingsState, firstSettings } from './form-settings.ts';

export const FormSettingsModel = defineModel<FormSettingsState>('form_settings', {
  notify: { type: Boolean, required: true },
  notification_email: { type: String, default: null },
});

const byId = gatheredById(FormSettingsModel);

/** Of a project that the organization has; revision 0 where nobody has changed them. */
export async function settingsOf(scope: Scope, projectId: string): Promise<FormSettings & { _id: string; revision: number }> {
  return (await byId(scope, projectId)) ?? { _id: projectId, revision: 0, ...firstSettings };
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
