// Table of contents: what the app takes from the extension system. Loaded only where there is an extension.
export type { ExtensionApi } from './api.ts';
export { createEventBus } from './bus.ts';
export type { ExtensionContext } from './surroundings.ts';
export { ExtensionSystem, type SystemOptions } from './system.ts';
