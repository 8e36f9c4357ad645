// Entry point for bundling the credential provider for `aws login`, so that it does not have to be installed.
export { fromLoginCredentials } from '@aws-sdk/credential-provider-login';
