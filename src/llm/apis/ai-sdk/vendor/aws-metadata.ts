// Entry point for bundling the credential provider of EC2 instances, so that it does not have to be installed.
export { fromInstanceMetadata } from '@smithy/credential-provider-imds';
