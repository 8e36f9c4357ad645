// The hall: the door. Reads the command line and hands over to a mode; knows no more than their names.
import { runRpc } from '../app/modes/rpc.ts';
import { version } from '../app/version.ts';
import { Fault, ownValue } from '../base/index.ts';
import { parseArguments, wordsBeside } from './args.ts';
import { SUBCOMMANDS } from './subcommands.ts';

/** Wrong words on the command line, or settings that make no sense. */
const USAGE_ERROR = 2;
const FAILURE = 1;

function warn(line: string): void {
  // A host may close its end of stderr and still want to be served. Only here, because touching the stream takes time.
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
  process.stderr.write(`${line}\n`);
}

/** The same where the line may name what others wrote, such as a file, and a person reads it. */
async function warnPlainly(line: string): Promise<void> {
  const { plain } = await import('../base/plain.ts');
  warn(plain(line));
}

/** Hosts of Opal start a program of this name, without a word; a link is all that they need. */
const OPAL_NAME = /(^|[/\\])opal-server(\.\w+)?$/;

/** What the name says that it was started under comes before the words behind it. */
function wordsOf([, program = '', ...words]: readonly string[]): string[] {
  return OPAL_NAME.test(program) ? ['--mode', 'rpc', '--dialect', 'opal', ...words] : words;
}

/** Somebody is there and has said nothing yet. */
async function isConversation({ mode, print, messages, files }: ReturnType<typeof parseArguments>): Promise<boolean> {
  const isSilent = mode === 'text' && !print && messages.length + files.length === 0;
  return isSilent && process.stdin.isTTY === true && (await import('node:tty')).isatty(1);
}

async function main(argv: readonly string[]): Promise<void> {
  const subcommand = ownValue(SUBCOMMANDS, argv[0] ?? '');
  if (subcommand) {
    const { say } = await import('../app/modes/print.ts');
    return say(await (await subcommand())(argv.slice(1), warnPlainly));
  }
  const options = parseArguments(argv);
  for (const line of options.warnings) warn(line);
  const informs = options.help || options.version || options.listModels !== undefined;
  const [stranger] = Object.values(options.unknown);
  if (informs && stranger) throw new Fault('config', stranger.complaint);
  if (options.mode === 'rpc' && !informs) return runRpc(options, warn);
  if (!informs && (await isConversation(options))) {
    const { runTerminal } = await import('../app/modes/terminal.ts');
    process.exitCode = await runTerminal(options, argv);
    return;
  }
  const { runPrint, say } = await import('../app/modes/print.ts');
  if (options.version) return say(`${version()}\n`);
  if (options.help) return say((await import('./help.ts')).helpText());
  if (options.listModels !== undefined) {
    return say(await (await import('../app/modes/list-models.ts')).listModels(options, options.listModels, warn));
  }
  const mode = options.mode === 'json' ? 'json' : 'text';
  const reread = (switches: ReadonlySet<string>) => wordsBeside(argv, switches);
  process.exitCode = await runPrint({ ...options, mode, reread }, warn);
}

main(wordsOf(process.argv)).catch(async (thrown: unknown) => {
  const isUsage = thrown instanceof Fault && thrown.code === 'config';
  process.exitCode = isUsage ? USAGE_ERROR : FAILURE;
  if (thrown instanceof Fault) return warnPlainly(`Error: ${thrown.message}`);
  const { explained } = await import('../app/modes/system-error.ts');
  const { sentence, isUsage: isMistake } = explained(thrown, process.env);
  if (isMistake) process.exitCode = USAGE_ERROR;
  return warnPlainly(`Error: ${sentence}`);
});
