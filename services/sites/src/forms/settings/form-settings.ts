import { changedFields, FormSettings, inputFields, updateFormSettings } from '@webkiln/contract';
import { Change, type RaisedEvent } from '@webkiln/messages';

/** The stored settings; the recipient's consent is kept at identity. */
export const StoredSettings = FormSettings.omit({ notification_status: true });
export type StoredSettings = Omit<FormSettings, 'notification_status'>;

/** Notification settings for the forms of a project; `_id` is the project's id. */
export interface FormSettingsState extends StoredSettings {
  _id: string;
  org_id: string;
  /** The owner of the project. */
  user_id: string;
}

type Current = StoredSettings & Pick<FormSettingsState, '_id'>;

const changeable = inputFields(updateFormSettings);

/** Used until the settings are first changed. */
export const defaultSettings: StoredSettings = { notify: true, notification_email: null };

/** The change to the wanted settings; null if nothing differs. Another address is asked to confirm. */
export function changeSettings(current: Current, wanted: Partial<StoredSettings>): Change<Partial<StoredSettings>> | null {
  const state = changedFields(current, wanted, changeable);
  if (state === null) return null;
  return new Change(state, typeof state.notification_email === 'string' ? [recipientToAsk(current, { again: false })] : []);
}

/** Asks the address again, whatever else has asked it. */
export const askAgain = (current: Current): Change<Partial<StoredSettings>> => new Change({}, [recipientToAsk(current, { again: true })]);

const recipientToAsk = ({ _id }: Current, { again }: { again: boolean }): RaisedEvent => ({
  type: 'internal.form.recipient',
  data: { project_id: _id, again },
});
