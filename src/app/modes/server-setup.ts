// The sessions and commands that the RPC mode serves.
import type { Command, SessionHub } from '../../contracts/index.ts';
import type { ModelNotice } from '../model-notice.ts';

/** The same for one session and for many. */
export interface ServerSetup {
  readonly hub: SessionHub;
  readonly commands: ReadonlyMap<string, Command>;
  /** Also sent by `sendInitialNotices`. Written to stderr if the dialect has no frame for it. */
  readonly notice?: ModelNotice | undefined;
  /** Sends notices about the model and the project, once the host is connected. */
  sendInitialNotices(): Promise<void>;
  close(): Promise<void>;
}
