// First floor, core: what the extensions of a session are loaded with, and the session that they come to.
import type { AgentSession, ExtensionProvider, HostUi, ModelApi, Models, Ports } from '../../contracts/index.ts';
import type { ApiParts } from './api.ts';

export interface SystemOptions {
  ports: Ports;
  models: Models;
  mode: string;
  hookTimeoutMs: number;
  uiTimeoutMs: number | undefined;
  flags: Readonly<Record<string, string | boolean>>;
  extras: ApiParts['extras'];
  /** A provider that answers by itself, as a wire format. */
  apiOf(provider: ExtensionProvider): ModelApi | undefined;
  /** People who started the program see it too. */
  warn(sentence: string): void;
  reload(): Promise<void>;
}

export interface SessionPlace {
  readonly session: AgentSession;
  host(): HostUi | undefined;
  leave(): void;
}
