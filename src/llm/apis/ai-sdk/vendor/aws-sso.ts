// Entry point for bundling the SSO credential provider of the AWS SDK, so that it does not have to be installed.
export { fromSSO } from '@aws-sdk/credential-provider-sso';
