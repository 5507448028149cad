import { type Change, changedFields, type FormSettings } from '@webkiln/contract';

/** Who is told of a project's forms; `_id` is the project's. */
export interface FormSettingsState extends FormSettings {
  _id: string;
  org_id: string;
  /** Whose the project is. */
  user_id: string;
}

/** Of a project whose settings nobody has changed. */
export const firstSettings: FormSettings = { notify: true, notification_email: null };

/** The change to the wanted settings; null when nothing differs. */
export function changeSettings(current: FormSettings, wanted: Partial<FormSettings>): Change<Partial<FormSettings>> | null {
  const state = changedFields(current, wanted, ['notify', 'notification_email']);
  return state === null ? null : { state, events: [] };
}

export const toSettings = ({ notify, notification_email }: FormSettings): FormSettings => ({ notify, notification_email });
