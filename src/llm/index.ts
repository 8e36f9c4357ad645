// Public entry point of the llm module.
export { type ApiLoader, createApiLoaders } from './api-loaders.ts';
export type { Credentials } from './credentials/credentials.ts';
export { findReferencedVariables, SECRET_VARIABLE_NAME } from './credentials/referenced-variables.ts';
export { createModels } from './models.ts';
export type { ModelsOptions } from './models-options.ts';
export { offlineModel } from './offline/offline-model.ts';
export { KEY_VARIABLES } from './providers/key-variables.ts';
