// Programs that start another program by one of their options: git, ssh, rsync, tar, zip and others.
import type { ShellWord } from '../parsed-command.ts';
import { type Call, type CallContext, type CallHandler, canBeOption, reportOptions } from './call-context.ts';
import { noteOutputOption } from './output-files.ts';

/** Configuration of git that starts nothing. */
const SAFE_GIT_KEYS =
  /^(user\.(name|email)|color\..*|advice\..*|core\.(quotepath|autocrlf|abbrev|filemode|ignorecase|safecrlf|eol)|init\.defaultbranch|commit\.(gpgsign|verbose)|tag\.gpgsign|pull\.(rebase|ff)|push\.default|log\..*|diff\.(renames|algorithm|context|noprefix|mnemonicprefix|colormoved)|merge\.(conflictstyle|ff)|fetch\.prune|gc\.auto|column\..*|status\..*|blame\..*|grep\.linenumber|http\.(postbuffer|version|lowspeedlimit|lowspeedtime)|pack\..*|rebase\.(autosquash|autostash)|rerere\.enabled|remote\.[^.]*\.(url|fetch|pushurl|prune)|branch\..*\.(remote|merge|rebase))$/;

/** Options of sub-commands of git whose value is a command. GNU and git accept unique beginnings of long options. */
const GIT_COMMAND_OPTIONS = [
  '--upload-pack',
  '--receive-pack',
  '--exec',
  '--extcmd',
  '--open-files-in-pager',
  '--tool',
  '--config-env',
  '--template',
  '--rename-section',
];

/** Options of git itself that have no value and start nothing. */
const GIT_FLAGS = [
  ...['-p', '--paginate', '-P', '--no-pager', '-v', '--version', '-h', '--help', '--bare', '--no-replace-objects'],
  ...['--no-optional-locks', '--no-lazy-fetch', '--no-advice', '--literal-pathspecs', '--glob-pathspecs'],
  ...['--noglob-pathspecs', '--icase-pathspecs', '--exec-path', '--html-path', '--man-path', '--info-path'],
];
const TAR_COMMAND_OPTIONS = [
  '--to-command',
  '--checkpoint-action',
  '--use-compress-program',
  '--info-script',
  '--new-volume-script',
  '--rsh-command',
  '--rmt-command',
];

/** Sub-commands of git with options that start programs. */
const GIT_COMMANDS_WITH_PROGRAMS = [
  'clone',
  'fetch',
  'pull',
  'push',
  'ls-remote',
  'archive',
  'rebase',
  'grep',
  'submodule',
  'bisect',
  'remote',
];

function isOptionOrBeginning(text: string, options: readonly string[]): boolean {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  return name.length > 2 && name.startsWith('--') && options.some((option) => option.startsWith(name));
}

function checkGitKey(key: string, context: CallContext): void {
  const equals = key.indexOf('=');
  const name = (equals < 0 ? key : key.slice(0, equals)).toLowerCase();
  if (!SAFE_GIT_KEYS.test(name)) context.problem(`The git setting ${name} can start another program.`);
}

const checkGit: CallHandler = (call, context) => {
  let index = 0;
  for (; index < call.args.length; index += 1) {
    const text = call.args[index]?.value;
    if (text === undefined) return context.problem('The sub-command of git is not known.');
    if (text === '-c') {
      index += 1;
      const setting = call.args[index];
      // In "a.b=$x" the key is visible in the source only without quotes.
      if (setting?.value === undefined) return reportOptions(call, context);
      checkGitKey(setting.value, context);
    } else if (['-C', '--git-dir', '--work-tree', '--namespace'].includes(text)) {
      index += 1;
      if (call.args[index]?.canSplit) return reportOptions(call, context);
      if (text === '--git-dir') reportOptions(call, context);
    } else if (
      text.startsWith('-') &&
      !GIT_FLAGS.includes(text) &&
      !text.startsWith('--work-tree=') &&
      !text.startsWith('--namespace=')
    )
      return reportOptions(call, context);
    else if (!text.startsWith('-')) break;
  }
  checkGitSubcommand(call.args[index]?.value, call.args.slice(index + 1), call, context);
};

function checkGitSubcommand(
  name: string | undefined,
  args: readonly ShellWord[],
  call: Call,
  context: CallContext,
): void {
  for (const word of args) {
    const text = word.value ?? '';
    if (isOptionOrBeginning(text, GIT_COMMAND_OPTIONS) || /^(ext|fd)::/.test(text))
      context.problem('An option of git starts another program.');
    if (name === 'config' && /^[a-zA-Z][\w-]*\./.test(text)) checkGitKey(text, context);
    if (name === 'clone' && (/^-[a-z]*[uc]/.test(text) || isOptionOrBeginning(text, ['--config'])))
      context.problem('An option of git starts another program.');
    if (name === 'rebase' && /^-[a-z]*x/.test(text)) context.problem('An option of git starts another program.');
    if (name === 'grep' && /^-[a-zA-Z]*O/.test(text)) context.problem('An option of git starts another program.');
    if (name === 'difftool' && /^-[a-z]*[xt]/.test(text)) context.problem('An option of git starts another program.');
  }
  if (!['archive', 'format-patch'].includes(name ?? '')) noteOutputOption(args, context, '');
  const first = args.find((word) => !word.value?.startsWith('-'))?.value;
  const runsText =
    [
      'filter-branch',
      'mergetool',
      'instaweb',
      'shell',
      'daemon',
      'credential',
      'p4',
      'svn',
      'web--browse',
      'difftool',
      'hook',
      'for-each-repo',
      'remote-ext',
      'remote-fd',
      'send-email',
      'imap-send',
      'merge-index',
    ].includes(name ?? '') ||
    (name === 'bisect' && first === 'run') ||
    (name === 'submodule' && first === 'foreach') ||
    (name === 'config' && args.some((word) => word.value === undefined || word.value === 'rename-section')) ||
    (GIT_COMMANDS_WITH_PROGRAMS.includes(name ?? '') && args.some(canBeOption));
  if (runsText) reportOptions(call, context);
}

/** `letters` matches short options, and `long` lists long options, whose value is a command. */
function refuseOptions(letters: RegExp, long: readonly string[]): CallHandler {
  return (call, context) => {
    for (const word of call.args) {
      const text = word.value;
      if (text === undefined ? canBeOption(word) : letters.test(text) || isOptionOrBeginning(text, long))
        context.problem(`An option of ${call.name} can start another program.`);
    }
  };
}

const checkTar: CallHandler = (call, context) => {
  refuseOptions(/^-[a-zA-Z0-9]*[IF]/, TAR_COMMAND_OPTIONS)(call, context);
  const first = call.args[0]?.value ?? '-I';
  if (!first.startsWith('-') && /[IF]/.test(first)) reportOptions(call, context);
};

const checkRsync: CallHandler = (call, context) => {
  if (call.args.some(canBeOption)) reportOptions(call, context);
  for (const [index, word] of call.args.entries()) {
    const text = word.value ?? '';
    const isShell = /^(-[a-zA-Z]*e|--rsh)$/.test(text);
    if (
      isShell
        ? call.args[index + 1]?.value !== 'ssh'
        : /^(-[a-zA-Z0-9]*e|--rsh=|--rsync-path)/.test(text) && text !== '--rsh=ssh'
    )
      context.problem('An option of rsync starts another program.');
  }
};

const checkSsh: CallHandler = (call, context) => {
  if (call.args.some(canBeOption)) reportOptions(call, context);
  for (const [index, word] of call.args.entries()) {
    const text = word.value ?? '';
    const setting = /^-[a-zA-Z0-9]*o$/.test(text)
      ? (call.args[index + 1]?.value ?? 'unknown')
      : /^-o(.+)/.exec(text)?.[1];
    const isSafe =
      setting === undefined ||
      /^\s*(StrictHostKeyChecking|ConnectTimeout|BatchMode|ServerAlive\w+|LogLevel|Port|User|UserKnownHostsFile|IdentitiesOnly|PreferredAuthentications)\b/i.test(
        setting,
      );
    if (!isSafe || /^-[a-zA-Z0-9]*[FSD]/.test(text))
      context.problem(`An option of ${call.name} can start another program.`);
  }
};

export const OPTION_CHECKS: Readonly<Record<string, CallHandler>> = {
  git: checkGit,
  tar: checkTar,
  gtar: checkTar,
  bsdtar: checkTar,
  rsync: checkRsync,
  ssh: checkSsh,
  scp: checkSsh,
  sftp: checkSsh,
  zip: refuseOptions(/^-[a-zA-Z0-9]*T/, ['--unzip-command', '--test']),
  sort: (call, context) => {
    refuseOptions(/^$/, ['--compress-program'])(call, context);
    noteOutputOption(call.args, context);
  },
  man: refuseOptions(/^-[a-zA-Z]*[PHC]/, ['--pager', '--html', '--config-file']),
  less: refuseOptions(/^\+/, []),
  split: refuseOptions(/^$/, ['--filter']),
  wget: refuseOptions(/^-[a-z]*e/, ['--use-askpass', '--execute', '--config']),
  ctags: refuseOptions(/^$/, ['--options', '--filter-terminator']),
  rg: refuseOptions(/^$/, ['--pre', '--hostname-bin']),
  ag: refuseOptions(/^$/, ['--pager']),
  bat: refuseOptions(/^$/, ['--pager']),
  dpkg: refuseOptions(/^$/, ['--pre-invoke', '--post-invoke']),
  'apt-get': refuseOptions(/^-[a-z]*[oc]/, ['--option', '--config-file']),
  apt: refuseOptions(/^-[a-z]*[oc]/, ['--option', '--config-file']),
};
