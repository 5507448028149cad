import { changedFields, createProjection, FormSettings, inputFields, updateFormSettings } from '@webkiln/contract';
import type { Change } from '@webkiln/messages';

/** Notification settings for the forms of a project; `_id` is the project's id. */
export interface FormSettingsState extends FormSettings {
  _id: string;
  org_id: string;
  /** The owner of the project. */
  user_id: string;
}

const changeable = inputFields(updateFormSettings);

/** Used until the settings are first changed. */
export const defaultSettings: FormSettings = { notify: true, notification_email: null };

/** The change to the wanted settings; null if nothing differs. */
export function changeSettings(current: FormSettings, wanted: Partial<FormSettings>): Change<Partial<FormSettings>, never> | null {
  const state = changedFields(current, wanted, changeable);
  return state === null ? null : { state, events: [] };
}

export const toSettings = createProjection(FormSettings);
