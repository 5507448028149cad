import { AppError } from '@webkiln/contract';
import type { Model, Models } from '../providers/models.ts';

/** An organization's choice; an empty list allows every model. */
export interface OrgModelsState {
  default_model: string | null;
  allowed_models: string[];
}

export const anyModel: OrgModelsState = { default_model: null, allowed_models: [] };

/** The models that the organization may use, its default first. Models that are no longer configured do not count. */
export function allowedModels(models: Models, { default_model, allowed_models }: OrgModelsState): Models {
  const allowed = allowed_models.length === 0 ? models : models.filter(({ id }) => allowed_models.includes(id));
  const chosen = allowed.find(({ id }) => id === default_model);
  return chosen === undefined ? allowed : [chosen, ...allowed.filter((model) => model !== chosen)];
}

/** The reply of `getModels`; without `all` the allowed models alone. */
export function toChatModels(models: Models, state: OrgModelsState, { all }: { readonly all: boolean }) {
  const allowed = allowedModels(models, state);
  const shown = (all ? models : allowed).map((model) => ({
    id: model.id,
    name: model.name,
    takes_images: model.takesImages,
    is_allowed: allowed.includes(model),
  }));
  return { models: shown, default_model: allowed[0]?.id ?? null };
}

const invalid = (path: string, message: string) => new AppError('validation_failed', [{ path, message }]);

/**
 * The choice with changes made. Throws `validation_failed` for a model that is not configured, and for a default that
 * is not allowed.
 */
export function changedModels(models: Models, current: OrgModelsState, wanted: Partial<OrgModelsState>): OrgModelsState {
  const { default_model, allowed_models } = { ...current, ...wanted };
  const isConfigured = (id: string) => models.some((model) => model.id === id);
  if (wanted.allowed_models?.some((id) => !isConfigured(id)))
    throw invalid('allowed_models', 'names a model that this platform does not have: GET /models lists them');
  if (wanted.default_model != null && !isConfigured(wanted.default_model))
    throw invalid('default_model', 'is no model of this platform: GET /models lists them');
  if (default_model !== null && allowed_models.length > 0 && !allowed_models.includes(default_model))
    throw invalid('default_model', 'must be one of the allowed models');
  return { default_model, allowed_models: [...new Set(allowed_models)] };
}

/**
 * The model for a message that names one, or none. Undefined: there is no model, so the composer works on it. Throws
 * `validation_failed`.
 */
export function chosenModel(allowed: Models, wanted: string | undefined): Model | undefined {
  if (wanted === undefined) return allowed[0];
  const model = allowed.find(({ id }) => id === wanted);
  if (model === undefined) throw invalid('model', 'is not offered: GET /models lists the models');
  return model;
}
