// First floor, llm: in what the providers behind the AI SDK differ. The interface that each of them fills in one file.
import type { ApiRequest } from '../../../contracts/index.ts';
import type { Model } from '../../../protocol/index.ts';
import type { ProviderFault } from '../../http/failure.ts';
import type { CallOptions, LanguageModel, Metadata, ProviderOptions } from './language-model.ts';

/** What a provider gives along with a block, to be given back with it. */
export interface Seal {
  signature?: string | undefined;
  /** Only the signature carries meaning: the provider keeps the text to itself. */
  redacted?: boolean;
}

export interface CallPlan extends Pick<CallOptions, 'maxOutputTokens' | 'providerOptions'> {
  /** Earlier thinking is sent along. */
  remembers: boolean;
}

export interface SdkFormat {
  /** The content type of an answer that is a stream. */
  readonly streams: RegExp;
  readonly imageTypes: readonly string[];
  /** Whether a tool's result may hold images; otherwise they follow it. */
  showsInResults(model: Model): boolean;
  callId(model: Model): (id: string) => string;
  /** Where the model is and what opens the door. Throws a Fault that names what is missing. */
  connect(request: ApiRequest, ports: { fetch: typeof fetch; newId(): string }): LanguageModel;
  /** Never shown in an error text. */
  secrets(request: ApiRequest): readonly string[];
  plan(request: ApiRequest): CallPlan;
  sealIn(metadata: NonNullable<Metadata>): Seal | undefined;
  unseal(seal: Seal): ProviderOptions | undefined;
  /** Marks where the provider's cache should begin to remember, where that saves money. */
  cacheMark?(model: Model): ProviderOptions | undefined;
  /** What the provider says more exactly than others do. */
  refine?(failure: ProviderFault, body: string): ProviderFault;
  /** The errors inside its streams do not say their names: they are read from the raw events. */
  readonly errorsAreRaw?: boolean;
}

/** A request with what its provider's own sign-in adds to it, and the format that goes with it. */
export interface Prepared {
  format: SdkFormat;
  request: ApiRequest;
}
