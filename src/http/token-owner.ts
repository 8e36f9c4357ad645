// Who has a token, and what it allows.
import type { ClientAccess } from '../protocol/index.ts';

export interface TokenOwner {
  readonly name: string;
  readonly access: ClientAccess;
  /** Whose sessions it can use. Absent: those of the server itself. */
  readonly tenant?: string | undefined;
}
