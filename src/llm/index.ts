// Table of contents: how models are reached.
export { type ApiLoader, type ApiPorts, apiLoaders } from './apis.ts';
export { catalogue } from './catalogue.ts';
export { offlineModel } from './offline/model.ts';
export { createModels, type ModelsOptions } from './registry.ts';
