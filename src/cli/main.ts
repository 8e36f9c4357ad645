// Entry point of the program: parses the command line and starts a mode or a subcommand.
import { runRpc } from '../app/modes/rpc.ts';
import { Fault } from '../base/index.ts';
import { version } from '../support/version.ts';
import { parseArguments, parsePositionals } from './parse-arguments.ts';
import { isSubcommand, SUBCOMMANDS } from './subcommands.ts';

/** Exit code for invalid arguments or settings. */
const USAGE_ERROR = 2;
const FAILURE = 1;

function warn(line: string): void {
  // A host may close its end of stderr. The handler is added here and not at startup, because accessing process.stderr is slow.
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
  process.stderr.write(`${line}\n`);
}

/** Like `warn`, for lines that may contain untrusted text such as file names. Removes terminal control characters. */
async function warnSanitized(line: string): Promise<void> {
  const { sanitize } = await import('../base/safe-text.ts');
  warn(sanitize(line));
}

/** Opal hosts start a program with this name and no arguments. A link to this program is enough for them. */
const OPAL_PROGRAM_NAME = /(^|[/\\])opal-server(\.\w+)?$/;

/** The arguments that follow from the program name come first, so that explicit arguments override them. */
function getArguments([, program = '', ...args]: readonly string[]): string[] {
  return OPAL_PROGRAM_NAME.test(program) ? ['--mode', 'rpc', '--dialect', 'opal', ...args] : args;
}

/** True when stdin and stdout are terminals and no message was given. */
async function isInteractive({ mode, print, messages, files }: ReturnType<typeof parseArguments>): Promise<boolean> {
  const hasNoInput = mode === 'text' && !print && messages.length + files.length === 0;
  return hasNoInput && process.stdin.isTTY === true && (await import('node:tty')).isatty(1);
}

/** `parley help X` means `parley X --help`. */
async function expandHelpCommand(argv: readonly string[]): Promise<readonly string[]> {
  const [command, topic = ''] = argv;
  if (command !== 'help') return argv;
  if (isSubcommand(topic)) return [topic, '--help'];
  if (/^(-|help$|$)/.test(topic)) return ['--help'];
  throw (await import('./unknown-command.ts')).createUnknownTopicFault(topic);
}

async function main(args: readonly string[]): Promise<void> {
  const argv = await expandHelpCommand(args);
  const [name] = argv;
  if (isSubcommand(name)) {
    const runSubcommand = await SUBCOMMANDS[name]();
    const { printText } = await import('../app/modes/print.ts');
    return printText(await runSubcommand(argv.slice(1), warnSanitized));
  }
  const options = parseArguments(argv);
  for (const line of options.warnings) warn(line);
  const isInfoRequest = options.help || options.version || options.listModels !== undefined;
  const [unknownFlag] = Object.values(options.unknown);
  if (isInfoRequest && unknownFlag) throw new Fault('config', unknownFlag.errorMessage);
  if (options.firstWord && !options.print && !isInfoRequest) {
    (await import('./unknown-command.ts')).refuseUnknownCommand(options.firstWord, options.messages);
  }
  if (options.mode === 'rpc' && !isInfoRequest) return runRpc(options, warn);
  if (!isInfoRequest && (await isInteractive(options))) {
    const { runTerminal } = await import('../app/modes/terminal.ts');
    process.exitCode = await runTerminal(options, argv);
    return;
  }
  const { runPrint, printText } = await import('../app/modes/print.ts');
  if (options.version) return printText(`${version()}\n`);
  if (options.help) return printText((await import('./help.ts')).formatHelp());
  if (options.listModels !== undefined) {
    return printText(
      await (await import('../app/modes/list-models.ts')).listModels(options, options.listModels, { warn }),
    );
  }
  if (options.socket !== undefined)
    throw new Fault('config', '--socket needs --mode rpc, or a conversation in a terminal (no message, no -p).');
  const mode = options.mode === 'json' ? 'json' : 'text';
  const reparse = (switches: ReadonlySet<string>) => parsePositionals(argv, switches);
  process.exitCode = await runPrint({ ...options, mode, reparse }, warn);
}

main(getArguments(process.argv)).catch(async (thrown: unknown) => {
  const isUsage = thrown instanceof Fault && thrown.code === 'config';
  process.exitCode = isUsage ? USAGE_ERROR : FAILURE;
  if (thrown instanceof Fault) return warnSanitized(`Error: ${thrown.message}`);
  const { explainError } = await import('../app/modes/explain-error.ts');
  const { message, isUsage: isMistake } = explainError(thrown, process.env);
  if (isMistake) process.exitCode = USAGE_ERROR;
  return warnSanitized(`Error: ${message}`);
});
