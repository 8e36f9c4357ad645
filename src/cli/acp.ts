// `parley acp`: serves an editor over the Agent Client Protocol.
import { runRpc } from '../app/modes/rpc.ts';
import { parseArguments } from './parse-arguments.ts';

const ACP_HELP = `Usage: parley acp [options]

Serves an editor over the Agent Client Protocol (ACP) on stdin and stdout. The same as
parley --mode acp. The editor starts the program, opens the sessions and asks for permissions.

All options of parley --help that do not select a session can be used, for example --model,
--approval-mode, --tools, --mcp-config and --trust.

Examples:
  parley acp
  parley acp --model anthropic/sonnet --approval-mode on-execute
`;

/** Returns the help text. Otherwise it does not return: the process exits when the editor closes stdin. */
export async function runAcp(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const options = parseArguments(['--mode', 'acp', ...argv]);
  if (options.help) return ACP_HELP;
  for (const line of options.warnings) warn(line);
  return runRpc(options, warn);
}
