// Adds the help text of a subcommand to the message about a wrong argument.
import { Fault, getErrorMessage } from '../../base/index.ts';

export function parseWithHelp<T>(help: string, parse: () => T): T {
  try {
    return parse();
  } catch (thrown) {
    throw new Fault('config', `${getErrorMessage(thrown)}\n\n${help}`);
  }
}
