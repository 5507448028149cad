import { AppError, type Project } from '@webkiln/contract';
import type { Change } from '@webkiln/messages';
import { batchedById, defineModel, definitionOf, insertChange, type Scope, saveChange, scoped, type Tenant } from '@webkiln/store';
import { defaultSettings, type FormSettingsState, StoredSettings } from './form-settings.ts';

const FormSettingsModel = defineModel<FormSettingsState>(
  'form_settings',
  { ...definitionOf(StoredSettings), user_id: { type: String, required: true } },
  { ofProject: '_id', exportedAs: 'form-settings', raisesEvents: true, ownedBy: 'user_id' },
);

const byId = batchedById(FormSettingsModel);

/** The settings of an existing project; the defaults at revision 0 if none are stored. */
export async function settingsOf(
  scope: Scope,
  { id: _id, user_id }: Pick<Project, 'id' | 'user_id'>,
): Promise<StoredSettings & { _id: string; user_id: string; revision: number }> {
  return (await byId(scope, _id)) ?? { _id, user_id, revision: 0, ...defaultSettings };
}

type Current = Awaited<ReturnType<typeof settingsOf>>;

/** Throws `edited_meanwhile` if the stored revision differs from `current`. Returns the saved settings. */
export async function saveSettings(scope: Scope, current: Current, change: Change<Partial<StoredSettings>>): Promise<Current> {
  if (current.revision > 0) return saveChange(FormSettingsModel, scope, current, change);
  const { revision: _none, ...first } = { ...current, ...change.state };
  const stored = await insertChange(FormSettingsModel, scope, change.withState(first));
  const isOurs = stored.notify === first.notify && stored.notification_email === first.notification_email;
  if (!isOurs) throw new AppError('edited_meanwhile');
  return stored;
}

/** Gives the settings of a project to the user who owns it. */
export const moveSettings = async (tenant: Tenant, _id: string, user_id: string): Promise<void> =>
  void (await scoped(FormSettingsModel, tenant).updateOne({ _id }, { $set: { user_id } }));
