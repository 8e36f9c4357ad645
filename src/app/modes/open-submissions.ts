// Opens the submissions of the database that the settings name, for subcommands.
import type { Submissions } from '../../contracts/index.ts';
import { createNoDatabaseFault } from '../command-ports/command-ports.ts';
import { prepareStart, type StartContext, type StartOptions } from './start-agent.ts';

export interface OpenedSubmissions {
  readonly submissions: Submissions;
  readonly context: StartContext;
}

/** Closes everything when `act` has ended. */
export async function withSubmissions<T>(
  flags: StartOptions,
  warn: (line: string) => void,
  act: (opened: OpenedSubmissions) => Promise<T>,
): Promise<T> {
  const context = await prepareStart(flags, warn);
  try {
    if (!context.storage) throw createNoDatabaseFault();
    return await act({ submissions: await context.storage.openSubmissions(), context });
  } finally {
    await context.close();
  }
}
