// Ground floor: what may be asked of the process itself, beside its sessions. Only dialects with many sessions reach it.
import type { Model, ThinkingLevel } from '../protocol/index.ts';
import type { AgentSession } from './session.ts';
import type { SessionSummary } from './store.ts';

export interface OpenRequest {
  /** Goes on with this session, or begins one under this id. */
  id?: string | undefined;
  cwd?: string | undefined;
  /** `false` keeps nothing on disk. */
  persist: boolean;
  /** By its id; the provider is a hint. An unknown one leaves the choice to the settings. */
  model?: { provider?: string | undefined; id: string; thinkingLevel?: ThinkingLevel | undefined } | undefined;
  systemPrompt?: string | undefined;
  /** Only these of the tools. */
  tools?: readonly string[] | undefined;
  /** Those that are not mentioned are as they usually are. */
  features?: { [Name in keyof Features]?: boolean | undefined } | undefined;
}

/** What can be switched on and off while a session lives. Read whenever it matters; changing it changes the session. */
export interface Features {
  subAgents: boolean;
  skills: boolean;
}

export interface OpenedSession {
  readonly session: AgentSession;
  /** It was there before, and goes on. */
  readonly resumed: boolean;
  /** The project's notes that the model is given. */
  readonly contextFiles: readonly string[];
  readonly skills: readonly string[];
}

/** A provider, and whether its door can be opened. */
export interface ProviderStatus {
  readonly id: string;
  readonly name: string;
  readonly method: 'device_code' | 'api_key';
  readonly variable?: string | undefined;
  readonly ready: boolean;
}

/** What a person needs to sign in elsewhere (RFC 8628). */
export interface DeviceLogin {
  readonly userCode: string;
  readonly verificationUri: string;
  readonly deviceCode: string;
  /** Seconds between two looks. */
  readonly interval: number;
}

export interface DeskAuth {
  /** Looks at every source there is: flags, files, variables. Asks nobody. */
  status(): Promise<readonly ProviderStatus[]>;
  saveKey(provider: string, key: string): Promise<void>;
  login(): Promise<DeviceLogin>;
  /** Resolves when the person has agreed, and the login is kept. */
  poll(login: { deviceCode: string; interval: number }): Promise<void>;
  /** The host is gone: nobody waits for a person any more. */
  giveUp(): void;
}

export interface Desk {
  open(request: OpenRequest): Promise<OpenedSession>;
  /** Every session that is kept, newest first. */
  sessions(): Promise<readonly SessionSummary[]>;
  /** Ends it when it is open, and deletes it with its artifacts. */
  remove(id: string): Promise<void>;
  /** Of a session that was opened here. */
  features(session: AgentSession): Features;
  models(): Promise<readonly Model[]>;
  /** The user's own, as the file has them, without keys. */
  settings(): Promise<Record<string, unknown>>;
  saveSettings(changes: Readonly<Record<string, unknown>>): Promise<void>;
  readonly auth: DeskAuth;
}
