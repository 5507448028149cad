import { auditEvent, type Caller, Change } from '@webkiln/messages';
import { batchedById, defineModel, insertChange, type Scope, saveChange, saveWithRetry, scoped } from '@webkiln/store';
import type { Model, Models } from '../providers/models.ts';
import { allowedModels, anyModel, changedModels, chosenModel, type OrgModelsState } from './org-models.ts';

// One record per organization, under the organization's id.
const OrgModelsModel = defineModel<OrgModelsState>(
  'org_models',
  { default_model: { type: String, default: null }, allowed_models: { type: [String], default: [] } },
  { exportedAs: null, raisesEvents: true },
);

const byId = batchedById(OrgModelsModel);

/** The organization's choice. */
export const orgModels = async (scope: Scope, org_id: string): Promise<OrgModelsState> => (await byId(scope, org_id)) ?? anyModel;

/**
 * The model that works on a message of the caller's organization, if the platform has any: the named one, else the
 * default. Throws `validation_failed` for one that is not allowed.
 */
export const modelForMessage = async (models: Models, caller: Caller, wanted: string | undefined): Promise<Model | undefined> =>
  chosenModel(allowedModels(models, models.length === 0 ? anyModel : await orgModels(caller, caller.principal.org_id)), wanted);

/** Throws `validation_failed`. */
export const changeOrgModels = (models: Models, caller: Caller, wanted: Partial<OrgModelsState>): Promise<OrgModelsState> =>
  saveWithRetry(caller, async () => {
    const { org_id } = caller.principal;
    const current = (await scoped(OrgModelsModel, caller).findOne({ _id: org_id })) ?? (await insertDefault(caller, org_id));
    const state = changedModels(models, current, wanted);
    const events = [auditEvent(caller, 'models.changed', { kind: 'organization', id: org_id, name: state.default_model })];
    return saveChange(OrgModelsModel, caller, current, new Change(state, events));
  });

/** A concurrent first call may insert the record; then that one is returned. */
const insertDefault = (caller: Caller, _id: string) => insertChange(OrgModelsModel, caller, new Change({ _id, ...anyModel }, []));
