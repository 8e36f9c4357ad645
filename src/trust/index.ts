// Public API of project trust. Files that read or save decisions are not exported here: they are loaded only when there are decisions.
export { decideTrust } from './decide-trust.ts';
export type { Inventory } from './inventory.ts';
export { offerTrust } from './offer-trust.ts';
export { createResourceLocator, type TrustableResourceLocator } from './resource-locator.ts';
export { findProjectConfiguration } from './search-paths.ts';
export { createSettingsReader } from './settings-reader.ts';
export type { TrustDecision } from './trust-decision.ts';
