// Interface for the differences between the providers behind the AI SDK.
import type { ApiRequest } from '../../../contracts/index.ts';
import type { Model } from '../../../protocol/index.ts';
import type { ProviderFault } from '../../http/provider-fault.ts';
import type { CallOptions, LanguageModel, ProviderMetadata, ProviderOptions } from './language-model.ts';

/** Opaque data that a provider sends with a block and expects back with it. */
export interface ThoughtSignature {
  signature?: string | undefined;
  /** The provider hides the text; only the signature is meaningful. */
  redacted?: boolean;
}

export interface CallPlan extends Pick<CallOptions, 'maxOutputTokens' | 'providerOptions'> {
  /** Whether earlier thinking is sent back. */
  replaysThinking: boolean;
}

export interface SdkFormat {
  /** The content type of a streamed response. */
  readonly streamContentType: RegExp;
  readonly imageTypes: readonly string[];
  /** Whether a tool result may contain images; otherwise they follow in a user message. */
  supportsImagesInResults(model: Model): boolean;
  createCallIdNormalizer(model: Model): (id: string) => string;
  /** Creates the SDK model with URL and credentials. Throws a Fault that names what is missing. */
  connect(request: ApiRequest, ports: { fetch: typeof fetch; newId(): string }): LanguageModel;
  /** Removed from error messages. */
  collectSecrets(request: ApiRequest): readonly string[];
  planCall(request: ApiRequest): CallPlan;
  readSignature(metadata: NonNullable<ProviderMetadata>): ThoughtSignature | undefined;
  writeSignature(signature: ThoughtSignature): ProviderOptions | undefined;
  /** Options that mark a prompt cache point, for models where caching reduces the cost. */
  buildCacheMarker?(model: Model): ProviderOptions | undefined;
  /** Adds provider-specific details to a fault. */
  refineFault?(failure: ProviderFault, body: string): ProviderFault;
  /** Errors inside the stream do not contain their name; it is read from the raw event. */
  readonly hasErrorsInRawEvents?: boolean;
}

/** A request with the credentials of its cloud provider, and its format. */
export interface PreparedRequest {
  format: SdkFormat;
  request: ApiRequest;
}
