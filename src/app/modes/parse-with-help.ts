// Adds the help text of a subcommand to the message about a wrong argument.
import { Fault, getErrorMessage } from '../../base/index.ts';

export function parseWithHelp<T>(help: string, parse: () => T): T {
  try {
    return parse();
  } catch (thrown) {
    // Replaces the longer sentence of Node, which has an unbalanced quote.
    const [message = '', advice] = getErrorMessage(thrown).split('. To specify a positional argument');
    const remedy = advice === undefined ? '' : '. Write -- before arguments that begin with -';
    throw new Fault('config', `${message}${remedy}\n\n${help}`);
  }
}
