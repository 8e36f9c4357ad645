// Converts the one provider id that is different in Opal. All other ids are the same.

const PARLEY_PROVIDER_ID = 'github-copilot';
const OPAL_PROVIDER_ID = 'copilot';

export function encodeProviderId(provider: string): string {
  return provider === PARLEY_PROVIDER_ID ? OPAL_PROVIDER_ID : provider;
}

export function decodeProviderId(name: string): string {
  return name === OPAL_PROVIDER_ID ? PARLEY_PROVIDER_ID : name;
}
