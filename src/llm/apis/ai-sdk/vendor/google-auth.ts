// Entry point for bundling google-auth-library, so that it does not have to be installed. The index of the package would also load
// the search for credentials, which reads files and starts `gcloud`.
export { ExternalAccountAuthorizedUserClient } from 'google-auth-library/build/src/auth/externalAccountAuthorizedUserClient.js';
export { ExternalAccountClient } from 'google-auth-library/build/src/auth/externalclient.js';
export { Impersonated } from 'google-auth-library/build/src/auth/impersonated.js';
export { JWT } from 'google-auth-library/build/src/auth/jwtclient.js';
export { UserRefreshClient } from 'google-auth-library/build/src/auth/refreshclient.js';
