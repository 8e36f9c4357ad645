// The hall: what extensions are loaded with.
import type { Models, Places, Ports } from '../../contracts/index.ts';
import type { SettingValues } from '../settings-table.ts';

export interface ExtensionOptions {
  /** Files or folders that were named, in settings or on the command line. */
  paths?: readonly string[] | undefined;
  /** `false` looks into no folder; what is named is loaded all the same. */
  discover?: boolean | undefined;
  /** Flags that nobody else knew. */
  flags?: Readonly<Record<string, string | boolean>> | undefined;
  /** What the extensions are told about the program: `rpc`, `json`, `print`. */
  mode?: string | undefined;
}

export interface FrontOptions extends ExtensionOptions {
  ports: Ports;
  models: Models;
  cwd: string;
  agentDirectory: string;
  /** As they are for the agent, also when they change. */
  settings: SettingValues;
  places: Pick<Places, 'folders' | 'onTrust' | 'verifyCode'>;
  hookTimeoutMs: number;
  uiTimeoutMs: number | undefined;
  /** Nobody has said where sessions are kept, so that extensions may. */
  mayPlaceSessions: boolean;
  warn(sentence: string): void;
}
