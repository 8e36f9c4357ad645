// Entry point for bundling shared code of the AWS SDK, so that it does not have to be installed.
export { state } from '@aws-sdk/core/client';
