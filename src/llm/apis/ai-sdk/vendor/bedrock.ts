// First floor, llm: the door to @ai-sdk/amazon-bedrock. Bundled when Parley is built, so that nobody has to install it.
export { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
