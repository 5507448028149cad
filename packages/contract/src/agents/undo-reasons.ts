import { type ErrorCode, errorCatalogue } from '../error-catalogue.ts';

/** Why changes of agents are not taken back, in English: `{names}` stands for what a reason is about. */
export const undoReasons = {
  changed_since: 'Somebody changed it since: {names}.',
  deleted_since: 'It was deleted since.',
  cut_off: 'The agent was cut off: nobody knows whether this took effect. Look at it yourself.',
  has_submissions: 'Visitors sent something by its forms, which would be lost.',
  draft_was_empty: 'A draft cannot be emptied: it keeps the files.',
  first_publish: 'A site that was published goes offline only when its project is deleted.',
  builder_works_on: 'The builder works on after the call: restore the version before in the history of the project.',
  client_was_invited: 'The invitation was sent, and clients cannot be deleted.',
  plans_stay: 'Plans cannot be deleted: switch it off.',
  secret_is_gone: 'Its signing secret and its deliveries are gone: add it again.',
  only_looked: 'It only looked for DNS records.',
  not_allowed: 'Whoever takes it back may not do this: {names}',
  refused: 'The platform refused it: {names}',
} as const;
export type UndoReasonCode = keyof typeof undoReasons;
export const undoReasonCodes = Object.keys(undoReasons) as [UndoReasonCode, ...UndoReasonCode[]];

/** Why a change is left, as it is stored. `names`: fields, domains, or the code of the error of a refusal. */
export interface UndoReason {
  readonly code: UndoReasonCode;
  readonly names: readonly string[];
}

/** The fields of a change that say why it is left. */
export function shownReason(reason: UndoReason | null) {
  if (reason === null) return { reason: null, reason_code: null, reason_names: [] };
  const { code, names } = reason;
  const isRefusal = code === 'refused' || code === 'not_allowed';
  const said = isRefusal ? names.map((name) => errorCatalogue[name as ErrorCode].message) : names;
  return { reason: undoReasons[code].replace('{names}', () => said.join(', ')), reason_code: code, reason_names: [...names] };
}
