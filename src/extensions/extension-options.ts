// Options for loading extensions.
import type {
  ModelRegistry,
  OpenInnerSession,
  Ports,
  ProcessIdentity,
  ResourceLocator,
  SessionIndex,
} from '../contracts/index.ts';
import type { SettingValues } from '../settings/index.ts';

export interface ExtensionOptions {
  /** Files or folders named in settings or on the command line. */
  paths?: readonly string[] | undefined;
  /** `false`: do not search the default folders. `paths` are still loaded. */
  discover?: boolean | undefined;
  /** Command-line flags that the program does not declare. */
  flags?: Readonly<Record<string, string | boolean>> | undefined;
  /** The mode that is reported to extensions: `rpc`, `json`, `print`. */
  mode?: string | undefined;
}

export interface ExtensionHostOptions extends ExtensionOptions {
  ports: Ports;
  models: ModelRegistry;
  cwd: string;
  agentDirectory: string;
  /** The settings object of the agent, which may change. */
  settings: SettingValues;
  resourceLocator: Pick<ResourceLocator, 'listDirectories' | 'listFiles' | 'reader' | 'onTrusted' | 'verifyCode'>;
  /** Absent if extensions cannot open sessions. */
  openInnerSession?: OpenInnerSession | undefined;
  identity: ProcessIdentity;
  /** Finds sessions that are not stored in files. */
  sessionIndex?: SessionIndex | undefined;
  /** For interfaces of other programs that are synchronous. All other code reads through `ports.files`. */
  readTextSync(path: string): string;
  hookTimeoutMs: number;
  uiTimeoutMs: number | undefined;
  /** Whether an extension may set the session directory. False when a flag or an option has set it. */
  canSetSessionDirectory: boolean;
  warn(sentence: string): void;
}
