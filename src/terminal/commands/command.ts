// The hall, terminal: what a word with a slash may do. Words only.
import type { Client } from '../../client/index.ts';
import type { SessionState } from '../../protocol/index.ts';
import type { Choice } from '../asks/select.ts';

/** An earlier conversation of this directory. */
export interface EarlierSession {
  readonly id: string;
  readonly path: string;
  readonly label: string;
  readonly doc: string;
}

export interface Room {
  readonly client: Client;
  readonly state: SessionState;
  say(message: string, level?: 'info' | 'warning' | 'error'): void;
  choose(title: string, choices: readonly Choice[], at?: number): Promise<string | undefined>;
  write(text: string): void;
  /** Has the person write on in an editor. */
  edit(text: string): Promise<void>;
  /** Asks the agent for everything that the status shows. */
  refresh(): Promise<void>;
  /** Another conversation is on the terminal from here on: says so, and shows what was said in it. */
  turnTo(title: string): Promise<void>;
  prompt(text: string): Promise<void>;
  later(text: string): Promise<void>;
  sessions(): Promise<readonly EarlierSession[]>;
  clear(): void;
  leave(): void;
}

export interface SlashCommand {
  readonly name: string;
  /** What may follow the name. */
  readonly takes?: string;
  readonly doc: string;
  run(args: string, room: Room): Promise<void>;
  /** What may follow the name, to be completed. */
  words?(room: Room): Promise<readonly string[]>;
}
