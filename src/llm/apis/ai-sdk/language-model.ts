// First floor, llm: what we know of the AI SDK's language models, version 3 of their interface. Types only.
import type { GoogleGenerativeAILanguageModel } from '@ai-sdk/google/internal';

type DoStream = GoogleGenerativeAILanguageModel['doStream'];

export type CallOptions = Parameters<DoStream>[0];
export type StreamPart = Awaited<ReturnType<DoStream>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/** A model at its lowest level: one request, no retries, no tools run. */
export interface LanguageModel {
  doStream(options: CallOptions): PromiseLike<{ stream: ReadableStream<StreamPart> }>;
}

export type Prompt = CallOptions['prompt'];
export type PromptMessage = Prompt[number];
export type ProviderOptions = NonNullable<CallOptions['providerOptions']>;
type PartsOf<R extends PromptMessage['role']> = Extract<PromptMessage, { role: R }>['content'][number];
export type UserPart = PartsOf<'user'>;
export type AnswerPart = PartsOf<'assistant'>;
export type ResultPart = Extract<PartsOf<'tool'>, { type: 'tool-result' }>;
export type FunctionTool = Extract<NonNullable<CallOptions['tools']>[number], { type: 'function' }>;

export type Finish = Extract<StreamPart, { type: 'finish' }>;
export type Metadata = Finish['providerMetadata'];
