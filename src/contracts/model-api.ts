// Ground floor: how a model is asked. Nothing here knows a provider's wire.
import type { AssistantMessageEvent, Model, ModelMessage, ThinkingLevel } from '../protocol/index.ts';

/** A tool as the model is told of it. */
export interface ToolOffer {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
}

export interface ModelRequest {
  model: Model;
  systemPrompt: string;
  /** Always a valid history: paired tool calls, no empty messages. */
  messages: readonly ModelMessage[];
  tools: readonly ToolOffer[];
  thinkingLevel: ThinkingLevel;
  maxTokens?: number;
  signal: AbortSignal;
  /** Sees the body of the request in the provider's own spelling last of all, and gives the one to send. */
  rewrite?: ((body: unknown) => Promise<unknown>) | undefined;
  /** Stable for the life of a session: providers use it to find their caches. */
  sessionId: string;
  /** Retries pass the same object on, so that one idle limit holds for all of them. Changed with every piece of content. */
  idle?: IdleTime | undefined;
}

export interface IdleTime {
  /** Clock time of the last content, or of the first request when there was none. */
  since: number;
}

/** A request on its way to a provider, with what opens the door. */
export interface ApiRequest extends ModelRequest {
  apiKey?: string | undefined;
  /** Beside the format's own: from the model, from models.json. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** How the host differs from the others that speak its format, where models.json says so. Each format reads its own. */
  compat?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * An answer as it comes, read by one reader once. `atHand` gives the next event when no waiting is needed for it: a promise
 * for each of the deltas that came together would cost more than the deltas.
 */
export interface ModelStream extends AsyncIterable<AssistantMessageEvent> {
  atHand?(): AssistantMessageEvent | undefined;
}

/**
 * One wire format. The stream starts with `start`, ends with exactly one `done` or `error`, and never throws: failures are
 * values at its end. `partial` is one growing object; readers must not keep it.
 */
export interface ModelApi {
  stream(request: ApiRequest): ModelStream;
}

/** Which models there are and how each is reached. */
export interface Models {
  /** The model to begin with, chosen by flags and settings; `null` when none can be used. `preferred`: what settings that came later name. */
  initial(preferred?: { provider?: string | undefined; model?: string | undefined }): Promise<Model | null>;
  /** Why `initial` chose none, or the offline one unasked. Absent when the model was asked for or has a key. */
  readonly absence?: string | undefined;
  /** Whether a provider's models only stand in for those of others. They are not restored where another can be used. */
  isStandIn?(provider: string): boolean;
  find(provider: string, modelId: string): Promise<Model | undefined>;
  /** Models that can be used now: those with credentials, or the offline one where there are none. */
  available(): Promise<readonly Model[]>;
  /** The models that `cycle_model` goes through, when the user chose some; otherwise all that are available. */
  scope(): Promise<readonly Model[] | undefined>;
  /** Throws a Fault that names the missing key and where to put it. */
  ready(model: Model): Promise<void>;
  stream(request: ModelRequest): ModelStream;
  /** Why the model's provider would refuse this image, whose bytes are those of an image. */
  imageProblem?(model: Model, image: { data: string; mimeType: string }): Promise<string | undefined>;
  /** The key of a provider, for extensions that reach it themselves. */
  key?(provider: string): Promise<string | undefined>;
  /** A provider that code describes, as models.json would; or, with `api`, one that is reached by that. */
  register?(name: string, description: Readonly<Record<string, unknown>>, api?: ModelApi): void;
  unregister?(name: string): void;
}
