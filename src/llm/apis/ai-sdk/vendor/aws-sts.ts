// Entry point for bundling the STS client of the AWS SDK, so that it does not have to be installed.
export { getDefaultRoleAssumer, getDefaultRoleAssumerWithWebIdentity } from '@aws-sdk/nested-clients/sts';
