// Entry point for bundling @ai-sdk/amazon-bedrock, so that it does not have to be installed.
export { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
