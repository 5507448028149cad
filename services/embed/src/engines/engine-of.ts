import type { Models } from '../providers/models.ts';
import type { ModelSettings } from '../providers/provider-config.ts';
import { composerEngine } from './composer/composer-engine.ts';
import type { Engine } from './engine.ts';
import { createModelEngine } from './model/model-engine.ts';

/** The engine of a turn: that of models if it was admitted with one, else the composer. */
export type EngineOf = (model: string | undefined) => Engine;

export function engines(models: Models, config: Pick<ModelSettings, 'MODEL_STALL_SECONDS' | 'MODEL_TURN_SECONDS'>): EngineOf {
  const modelEngine = createModelEngine({ models, stallMs: config.MODEL_STALL_SECONDS * 1_000, turnMs: config.MODEL_TURN_SECONDS * 1_000 });
  return (model) => (model === undefined ? composerEngine : modelEngine);
}
