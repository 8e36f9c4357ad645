// Operations on the sessions, models, settings and credentials of the process, for dialects with many sessions.
import type { Model, ThinkingLevel } from '../protocol/index.ts';
import type { AgentSession } from './agent-session.ts';
import type { SessionSummary } from './session-store.ts';

export interface OpenSessionRequest {
  /** Resumes the session with this id, or creates one with this id. */
  id?: string | undefined;
  cwd?: string | undefined;
  /** `false`: nothing is written to disk. */
  persist: boolean;
  /** Selected by id; the provider is a hint. For an unknown id the settings decide. */
  model?: { provider?: string | undefined; id: string; thinkingLevel?: ThinkingLevel | undefined } | undefined;
  systemPrompt?: string | undefined;
  /** Use only these tools. */
  tools?: readonly string[] | undefined;
  /** Features that are not listed have their default. */
  features?: { [Name in keyof SessionFeatures]?: boolean | undefined } | undefined;
}

/** Features that can be switched on and off while the session is open. Changes of this object take effect immediately. */
export interface SessionFeatures {
  subAgents: boolean;
  skills: boolean;
}

export interface OpenSessionResult {
  readonly session: AgentSession;
  /** The session existed before. */
  readonly resumed: boolean;
  /** Paths of the context files of the project that are sent to the model. */
  readonly contextFiles: readonly string[];
  readonly skills: readonly string[];
}

export interface ProviderStatus {
  readonly id: string;
  readonly name: string;
  readonly method: 'device_code' | 'api_key';
  readonly envVariable?: string | undefined;
  readonly ready: boolean;
}

/** Data of the device authorization flow (RFC 8628). */
export interface DeviceLogin {
  readonly userCode: string;
  readonly verificationUri: string;
  readonly deviceCode: string;
  /** Polling interval in seconds. */
  readonly interval: number;
}

export interface ProviderAuth {
  /** Checks all credential sources: flags, files and variables. Sends no request. */
  getStatus(): Promise<readonly ProviderStatus[]>;
  saveKey(provider: string, key: string): Promise<void>;
  startDeviceLogin(): Promise<DeviceLogin>;
  /** Resolves when the user has approved and the credentials are stored. */
  waitForDeviceLogin(login: { deviceCode: string; interval: number }): Promise<void>;
  /** Cancels pending logins because the host has closed. */
  cancelPending(): void;
}

export interface SessionPool {
  open(request: OpenSessionRequest): Promise<OpenSessionResult>;
  /** All stored sessions, newest first. */
  list(): Promise<readonly SessionSummary[]>;
  /** Closes the session if it is open, and deletes it with its artifacts. */
  delete(id: string): Promise<void>;
  /** The session must have been opened by this pool. */
  getFeatures(session: AgentSession): SessionFeatures;
  listModels(): Promise<readonly Model[]>;
  /** The user's settings as stored in the file, without API keys. */
  readSettings(): Promise<Record<string, unknown>>;
  saveSettings(changes: Readonly<Record<string, unknown>>): Promise<void>;
  readonly auth: ProviderAuth;
}
