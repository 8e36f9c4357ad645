// Public API of extensions. discover-extensions.ts is not exported here: it is loaded only when there may be extensions.
export { ExtensionHost } from './extension-host.ts';
export type { ExtensionOptions } from './extension-options.ts';
