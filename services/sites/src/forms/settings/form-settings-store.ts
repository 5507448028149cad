import { AppError, FormSettings, type Project } from '@webkiln/contract';
import type { Change } from '@webkiln/messages';
import { batchedById, defineModel, definitionOf, isDuplicate, type Scope, saveChange, scoped } from '@webkiln/store';
import { defaultSettings, type FormSettingsState } from './form-settings.ts';

export const FormSettingsModel = defineModel<FormSettingsState>(
  'form_settings',
  { ...definitionOf(FormSettings), user_id: { type: String, required: true } },
  { ownedBy: 'user_id' },
);

const byId = batchedById(FormSettingsModel);

/** The settings of an existing project; the defaults at revision 0 if none are stored. */
export async function settingsOf(
  scope: Scope,
  { id: _id, user_id }: Pick<Project, 'id' | 'user_id'>,
): Promise<FormSettings & { _id: string; user_id: string; revision: number }> {
  return (await byId(scope, _id)) ?? { _id, user_id, revision: 0, ...defaultSettings };
}

type Current = Awaited<ReturnType<typeof settingsOf>>;

/** Throws `edited_meanwhile` if the stored revision differs from `current`. Returns the saved settings. */
export async function saveSettings(scope: Scope, current: Current, change: Change<Partial<FormSettings>, never>): Promise<Current> {
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
