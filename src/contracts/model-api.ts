// Requests to models, and the registry of models. Independent of the wire formats of the providers.
import type { AssistantMessageEvent, Model, ModelMessage, ThinkingLevel } from '../protocol/index.ts';

/** A tool as it is described to the model. */
export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
}

/** A header with the value `null` is removed. */
export type RequestHeaders = Record<string, string | null>;

export interface ProviderResponse {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ModelRequest {
  model: Model;
  systemPrompt: string;
  /** Always a valid history: paired tool calls, no empty messages. */
  messages: readonly ModelMessage[];
  tools: readonly ToolDefinition[];
  thinkingLevel: ThinkingLevel;
  /** Use the faster processing tier of the provider, which costs more. Only for models that support it. */
  fast?: boolean | undefined;
  maxTokens?: number;
  signal: AbortSignal;
  /** Receives the final request body in the provider's wire format and returns the body to send. */
  rewriteBody?: ((body: unknown) => Promise<unknown>) | undefined;
  /** Receives the HTTP headers without those that contain keys, and returns the headers to send. */
  rewriteHeaders?: ((headers: RequestHeaders) => Promise<RequestHeaders>) | undefined;
  /** Called when the response has arrived, before its body is read. */
  onResponse?: ((response: ProviderResponse) => Promise<unknown>) | undefined;
  /** Constant for a session: providers use it as a cache key. */
  sessionId: string;
  /** Retries pass the same object, so that one idle limit applies to all of them. Updated with every chunk of content. */
  idleTime?: IdleTime | undefined;
}

export interface IdleTime {
  /** Clock time of the last content, or of the first request when there was no content. */
  sinceMs: number;
}

/** A request with its credentials and the settings of its provider. */
export interface ApiRequest extends ModelRequest {
  apiKey?: string | undefined;
  /** Additional headers from the model and from models.json. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** How the server deviates from its wire format, from models.json. Each format reads its own keys. */
  compat?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A streamed answer, for one reader. `nextBuffered` returns the next event when it is already available: one promise for
 * each delta of a network chunk would cost more than the deltas.
 */
export interface ModelStream extends AsyncIterable<AssistantMessageEvent> {
  nextBuffered?(): AssistantMessageEvent | undefined;
}

/**
 * One wire format. The stream starts with `start` and ends with exactly one `done` or `error`. It never throws: failures are
 * `error` events. `partial` is one growing object; readers must not store it.
 */
export interface ModelApi {
  stream(request: ApiRequest): ModelStream;
}

/** Why a model or a provider cannot be used, and what to do. Absent: it can. */
interface Usability {
  readonly reason?: string | undefined;
}

export interface KnownProvider extends Usability {
  readonly id: string;
  readonly name: string;
  readonly hasCredentials: boolean;
}

/** All known models, also those that cannot be used. */
export interface ModelListing {
  readonly providers: readonly KnownProvider[];
  readonly models: readonly (Usability & { readonly model: Model })[];
}

/** The known models and their APIs. */
export interface ModelRegistry {
  /** The initial model by flags and settings; `null` when no model is usable. `preferred`: from settings that were loaded later. */
  chooseInitial(preferred?: { provider?: string | undefined; model?: string | undefined }): Promise<Model | null>;
  /** The thinking level that was named together with the initial model, as in `sonnet:high`. */
  readonly initialThinkingLevel?: ThinkingLevel | undefined;
  /** Why `chooseInitial` chose no model or fell back to the offline model. Absent when the model was requested or has a key. */
  readonly missingReason?: string | undefined;
  /** Whether the provider's models are only a fallback. They are not restored when another model is usable. */
  isFallbackProvider?(provider: string): boolean;
  /** By exact name. An id that the provider does not list is accepted, with assumed limits. */
  find(provider: string, modelId: string): Promise<Model | undefined>;
  /** A usable model by its name or a part of it, as the flag `--model` finds it. `undefined` when none or several match. */
  findByName?(name: string): Promise<Model | undefined>;
  /** Whether the limits and prices of the model are assumed, because its provider does not list it. */
  isAssumed?(model: Model): boolean;
  /** What is assumed and how to declare it. Returned once for each model. */
  takeAssumptionNotice?(model: Model): string | undefined;
  /** The models with credentials, or the offline model when there are none. */
  listAvailable(): Promise<readonly Model[]>;
  /** All known models and providers. */
  listKnown?(): Promise<ModelListing>;
  /** The models that the user selected for `cycle_model`; `undefined` means all available models. */
  listScoped(): Promise<readonly Model[] | undefined>;
  /** Whether the model has a faster processing tier. */
  supportsFastMode?(model: Model): boolean;
  /** The thinking level that the user selected together with a model for `cycle_model`. */
  findScopedLevel?(model: Model): Promise<ThinkingLevel | undefined>;
  /** Throws a Fault that names the missing key and how to set it. */
  requireCredentials(model: Model): Promise<void>;
  stream(request: ModelRequest): ModelStream;
  /** Why the model's provider would refuse this image; `undefined` when it would not. The data must be a valid image. */
  checkImage?(model: Model, image: { data: string; mimeType: string }): Promise<string | undefined>;
  /** The key of a provider, for extensions that send their own requests. */
  getApiKey?(provider: string): Promise<string | undefined>;
  /** Adds a provider of an extension, described as in models.json. With `api`, requests go to that implementation. */
  register?(name: string, description: Readonly<Record<string, unknown>>, api?: ModelApi): void;
  unregister?(name: string): void;
}
