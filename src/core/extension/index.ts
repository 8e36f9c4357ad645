// Table of contents: what the app takes from the extension system. Loaded only where there is an extension.
export type { ExtensionApi } from './api.ts';
export { createEventBus } from './bus.ts';
export type { ResourcePaths } from './moments/places.ts';
export type { ExtensionContext } from './surroundings.ts';
export { ExtensionSystem } from './system.ts';
export type { SystemOptions } from './system-options.ts';
