// Options of the extension system, and the session that it is attached to.
import type { AgentSession, ExtensionProvider, HostUi, ModelApi, ModelRegistry, Ports } from '../../contracts/index.ts';
import type { ExtensionApiOptions } from './extension-api.ts';

export interface ExtensionSystemOptions {
  ports: Ports;
  models: ModelRegistry;
  mode: string;
  hookTimeoutMs: number;
  uiTimeoutMs: number | undefined;
  flags: Readonly<Record<string, string | boolean>>;
  extras: ExtensionApiOptions['extras'];
  builtinToolNames: readonly string[];
  /** Adapts a provider with its own streaming function to a model API. */
  createModelApi(provider: ExtensionProvider): ModelApi | undefined;
  /** Prints a warning that the user of the program also sees. */
  warn(message: string): void;
  reload(): Promise<void>;
}

export interface SessionAttachment {
  readonly session: AgentSession;
  getHost(): HostUi | undefined;
  requestShutdown(): void;
}
