// Types of the RPC mode: its options, and the sessions and commands that it serves.
import type { Command, SessionHub } from '../../contracts/index.ts';
import type { OfflineNotice } from '../offline-notice.ts';
import type { StartOptions } from './start-agent.ts';

export interface RpcOptions extends StartOptions {
  readonly dialect?: string | undefined;
  readonly stream?: 'full' | 'delta' | undefined;
  readonly onEof?: 'finish' | 'abort' | undefined;
}

/** The same for one session and for many. */
export interface ServerSetup {
  readonly hub: SessionHub;
  readonly commands: ReadonlyMap<string, Command>;
  /** Also sent by `sendInitialNotices`. Written to stderr if the dialect has no frame for it. */
  readonly notice?: OfflineNotice | undefined;
  /** Sends notices about the model and the project, once the host is connected. */
  sendInitialNotices(): Promise<void>;
  close(): Promise<void>;
}
