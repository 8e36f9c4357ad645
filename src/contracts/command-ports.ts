// What commands use beside a session: settings, models and stored sessions. Loaded with the first use.
import type { ModelListing } from './model-api.ts';
import type { SessionPage, SessionQuery, SessionSummary } from './session-store.ts';
import type { Submissions } from './submissions.ts';

export type SettingScope = 'user' | 'project' | 'session';

/** A setting for front ends that show and change settings. */
export interface SettingDescription {
  readonly name: string;
  readonly doc: string;
  readonly schema: Record<string, unknown>;
  /** Absent: not set by default. */
  readonly default?: unknown;
  /** It forbids or limits something. */
  readonly restricts: boolean;
  /** What the value of a trusted project does: it replaces that of the user, can only restrict it, or is ignored. */
  readonly project: 'replaces' | 'restricts' | 'ignored';
  /** Whether it can be changed in an open session. */
  readonly session: boolean;
}

/** A value in effect. */
export interface EffectiveSetting {
  /** Absent: not set. */
  readonly value?: unknown;
  /** `flag`: the command line. `start`: given at the start of the session by the program, or by a file that has changed since. */
  readonly source: 'default' | 'flag' | 'start' | SettingScope;
  /** The value in a session that is opened now, if it is another one. */
  readonly nextValue?: unknown;
}

/** The settings of the scopes that were asked for. Values whose names suggest a secret are left out. */
export interface ScopedSettings {
  readonly user?: { readonly file: string; readonly settings: Record<string, unknown> } | undefined;
  /** Without settings if the project is not trusted. Absent without a session. */
  readonly project?:
    | { readonly file: string; readonly trusted: boolean; readonly settings: Record<string, unknown> }
    | undefined;
  /** Absent without a session. */
  readonly session?: { readonly settings: Record<string, unknown> } | undefined;
  readonly effective?: Record<string, EffectiveSetting> | undefined;
}

export interface ScopedSettingChange {
  readonly scope: SettingScope;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Names of settings to remove from the scope. */
  readonly remove: readonly string[];
}

export interface SettingsPort {
  describe(): Promise<readonly SettingDescription[]>;
  /** Without a scope: all of them, and the values in effect. */
  read(scope?: SettingScope): Promise<ScopedSettings>;
  /** One invalid or refused value refuses all. Resolves with the settings of the scope. */
  save(change: ScopedSettingChange): Promise<ScopedSettings>;
}

export interface StoredSessions {
  search(query: SessionQuery): Promise<SessionPage>;
  /** Finds one session by its path or the beginning of its id. Throws a Fault when there is none or more than one. */
  locate(reference: string): Promise<SessionSummary>;
  /**
   * Moves a session to another working directory; without `reference` the open session. An open session is closed and opened there,
   * where there is a session pool; otherwise it is refused. Throws a Fault during a run, and when another process uses the session.
   */
  move(reference: string | undefined, cwd: string): Promise<MovedSession>;
}

export interface MovedSession {
  readonly sessionId: string;
  readonly path: string;
  readonly cwd: string;
  /** It was open, and is open in the new directory. */
  readonly reopened: boolean;
}

export interface CommandPorts {
  readonly settings: SettingsPort;
  listKnownModels(): Promise<ModelListing>;
  readonly sessions: StoredSessions;
  /** Throws a Fault when sessions are not stored in a database. */
  openSubmissions(): Promise<Submissions>;
  /** The working directory of the session, or of the process. */
  readonly cwd: string;
}
