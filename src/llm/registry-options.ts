// First floor, llm: what the models of an agent are made with. The app fills it in.
import type { Ports } from '../contracts/index.ts';
import type { ApiLoader } from './apis.ts';
import type { DoorOptions } from './doors.ts';
import type { WantedModel } from './selection.ts';

/** Receives the reason when no provider's model can be chosen to begin with. */
export interface ExplainedOptions extends ModelsOptions {
  explain(sentence: string): void;
}

export interface ModelsOptions extends DoorOptions {
  apis: Readonly<Record<string, ApiLoader>>;
  ports: DoorOptions['ports'] & Pick<Ports, 'fetch' | 'send'>;
  /** What the command line names. */
  asked?: WantedModel | undefined;
  /** What the settings name. */
  preferred?: WantedModel | undefined;
  /** The command line's key, for the provider that it names or whose model it names. */
  apiKey?: string | undefined;
  /** The models that `cycle_model` goes through. */
  patterns?: readonly string[] | undefined;
}
