// Entry point for bundling @ai-sdk/google (Gemini), so that it does not have to be installed.
export { GoogleGenerativeAILanguageModel } from '@ai-sdk/google/internal';
