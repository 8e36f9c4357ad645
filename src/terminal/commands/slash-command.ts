// Types of slash commands and of the context they run in.
import type { Client } from '../../client/index.ts';
import type { SessionState } from '../../protocol/index.ts';
import type { DialogQueue } from '../dialogs/dialog-queue.ts';
import type { Choice } from '../dialogs/select-dialog.ts';

/** An earlier session of this directory, or a session of the server. */
export interface SessionListItem {
  readonly id: string;
  readonly path: string;
  readonly label: string;
  readonly doc: string;
}

/** A provider, and the credentials that it has. */
export interface ProviderItem {
  readonly id: string;
  readonly name: string;
  readonly acceptsKey: boolean;
  readonly hasCredential: boolean;
  /** Whether auth.json has an entry for it. */
  readonly isStored: boolean;
}

/** The credentials in auth.json. Keys are not sent to the agent. */
export interface CredentialPorts {
  listProviders(): Promise<readonly ProviderItem[]>;
  saveKey(provider: string, key: string): Promise<void>;
  remove(provider: string): Promise<void>;
}

export interface CommandContext {
  readonly client: Client;
  /** Absent when the agent runs elsewhere. */
  readonly credentials: CredentialPorts | undefined;
  /** Opens dialogs that the user has requested. */
  readonly dialogs: Pick<DialogQueue, 'choose'>;
  /** False if the terminal itself shows what is typed. */
  readonly canHideInput: boolean;
  readonly state: SessionState;
  /** What Esc does while nothing runs and no dialog is open. `undefined` for nothing. */
  setCancelAction(cancel: (() => Promise<unknown>) | undefined): void;
  notify: (message: string, level?: 'info' | 'warning' | 'error') => void;
  choose(title: string, choices: readonly Choice[], at?: number): Promise<string | undefined>;
  setDraft(text: string): void;
  /** Opens `text` in the user's editor. The edited text becomes the draft. */
  openEditor(text: string): Promise<void>;
  /** Reads the session state and the cost from the agent. */
  refreshStatus(): Promise<void>;
  /** Call after the agent has switched to another session. Prints `title` and the messages of that session. */
  showSession(title: string): Promise<void>;
  prompt(text: string): Promise<void>;
  followUp(text: string): Promise<void>;
  /** `undefined` when the agent offers no list. */
  listSessions(): Promise<readonly SessionListItem[] | undefined>;
  clearScreen(): void;
  quit(): void;
}

export interface SlashCommand {
  readonly name: string;
  /** Shown in /help after the name. */
  readonly argumentHint?: string;
  readonly doc: string;
  run(args: string, context: CommandContext): Promise<void>;
  /** Candidates for tab completion of the argument. */
  getArgumentCompletions?(context: CommandContext): Promise<readonly string[]>;
}
