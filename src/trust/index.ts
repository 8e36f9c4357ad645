// Public API of project trust. Files that read or save decisions are not exported here: they are loaded only when there are decisions.
export type { Inventory } from './inventory.ts';
export { loadProjectSettings, type ProjectSettingsOptions } from './load-project-settings.ts';
export { offerTrust } from './offer-trust.ts';
export { createResourceLocator, type TrustableResourceLocator } from './resource-locator.ts';
export { filterExisting, findProjectConfiguration, listProjectMcpFiles } from './search-paths.ts';
export type { TrustDecision } from './trust-decision.ts';
