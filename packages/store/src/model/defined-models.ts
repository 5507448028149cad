import type { OrgModel, StoreModel } from './stored-record.ts';

const ofOrganizations = new Set<StoreModel>();

/** Called for each model whose records have an `org_id`, so that neither an erasure nor an export can leave one out. */
export const registerOrganizationModel = (model: StoreModel): void => void ofOrganizations.add(model);

/** The models of all collections with organizations' records that this process has defined. */
export const organizationModels = (): readonly StoreModel[] => [...ofOrganizations];

/** True if an erasure of their organization deletes the model's records. */
export const isErasable = (model: StoreModel): boolean => ofOrganizations.has(model) && model.keptWhenErased !== true;

/** The models of the collections whose records are deleted with their project, and the field with its id. */
export const projectModels = (): readonly (readonly [model: OrgModel<unknown>, field: string])[] =>
  organizationModels().flatMap((model) => (model.ofProject ? [[model as OrgModel<unknown>, model.ofProject] as const] : []));

type Listener = (model: StoreModel) => void;

const withEvents = new Set<StoreModel>();
const listeners = new Set<Listener>();

/** Called by `defineModel`, so that no model that raises events can be left out. */
export function registerEventModel(model: StoreModel): void {
  withEvents.add(model);
  for (const listener of listeners) listener(model);
}

/**
 * Calls back for each model that raises events, now and when it is defined later. Returns a function that unsubscribes.
 */
export function onEventModel(listener: Listener): () => void {
  listeners.add(listener);
  for (const model of withEvents) listener(model);
  return () => listeners.delete(listener);
}

const withVersions: StoreModel[] = [];

export function registerUpgradedModel(model: StoreModel): void {
  withVersions.push(model);
}

/** The models defined so far whose documents have versions. */
export const upgradedModels = (): readonly StoreModel[] => withVersions;
