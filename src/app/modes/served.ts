// The hall: what serving a host needs to be told, and what is served. Words only.
import type { Command, SessionHub } from '../../contracts/index.ts';
import type { OfflineNotice } from '../offline-notice.ts';
import type { StartOptions } from './start.ts';

export interface RpcOptions extends StartOptions {
  readonly dialect?: string | undefined;
  readonly stream?: 'full' | 'delta' | undefined;
  readonly onEof?: 'finish' | 'abort' | undefined;
}

/** What is served, be it one session or many. */
export interface Served {
  readonly hub: SessionHub;
  readonly commands: ReadonlyMap<string, Command>;
  /** Part of what `introduce` tells; it is for stderr where the dialect has no frame for it. */
  readonly notice?: OfflineNotice | undefined;
  /** Tells the host what it should know of the project, once it listens. */
  introduce(): Promise<void>;
  close(): Promise<void>;
}
