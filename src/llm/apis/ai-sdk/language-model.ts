// Types of the AI SDK's language model interface (version 3).
import type { GoogleGenerativeAILanguageModel } from '@ai-sdk/google/internal';

type DoStream = GoogleGenerativeAILanguageModel['doStream'];

export type CallOptions = Parameters<DoStream>[0];
export type StreamPart = Awaited<ReturnType<DoStream>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/** The lowest level of the SDK: one request, no retries, no tool execution. */
export interface LanguageModel {
  doStream(options: CallOptions): PromiseLike<{ stream: ReadableStream<StreamPart> }>;
}

export type Prompt = CallOptions['prompt'];
export type PromptMessage = Prompt[number];
export type ProviderOptions = NonNullable<CallOptions['providerOptions']>;
type PartsOf<R extends PromptMessage['role']> = Extract<PromptMessage, { role: R }>['content'][number];
export type UserPart = PartsOf<'user'>;
export type AssistantPart = PartsOf<'assistant'>;
export type ResultPart = Extract<PartsOf<'tool'>, { type: 'tool-result' }>;
export type FunctionTool = Extract<NonNullable<CallOptions['tools']>[number], { type: 'function' }>;

export type FinishPart = Extract<StreamPart, { type: 'finish' }>;
export type ProviderMetadata = FinishPart['providerMetadata'];
