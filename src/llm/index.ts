// Table of contents: how models are reached.
export { type ApiLoader, type ApiPorts, apiLoaders } from './apis.ts';
export { offlineModel } from './offline/model.ts';
export { KEY_VARIABLES } from './providers/variables.ts';
export { createModels } from './registry.ts';
export type { ModelsOptions } from './registry-options.ts';
