// First floor, llm: the door to @ai-sdk/google, which talks to Gemini. Bundled when Parley is built, so that nobody has to install it.
export { GoogleGenerativeAILanguageModel } from '@ai-sdk/google/internal';
