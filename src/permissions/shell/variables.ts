// Variables that change which programs run, or how the shell reads a command line.

import type { ShellWord } from './parsed-command.ts';
import { isSafeValue, namesShellText, type ShellFacts } from './syntax/shell-facts.ts';

/** Variables that the shell and the loader of programs read. No value of them is harmless. */
const SHELL_VARIABLES =
  /^(IFS|PATH|ENV|BASH_ENV|BASH_FUNC.*|BASH_LOADABLES_PATH|BASH_XTRACEFD|BASH_COMPAT|BASH_ALIASES|BASH_CMDS|BASH_ARGV0|SHELLOPTS|BASHOPTS|PS[0-4]|PROMPT_COMMAND|POSIXLY_CORRECT|GLOBIGNORE|EXECIGNORE|TEXTDOMAIN.*|LC_.*|LANG|CDPATH|SHELL|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|HOME|FUNCNEST|histchars)$/;

/** Variables by which common programs start other programs or load code. */
const PROGRAM_VARIABLES =
  /^(GIT_.*|NODE_OPTIONS|NODE_PATH|NODE_EXTRA_.*|NPM_CONFIG_.*|npm_config_.*|PYTHON.*|PERL5.*|PERLLIB|RUBY.*|GEM_.*|BUNDLE_.*|PHP.*|LUA_.*|JAVA_.*|_JAVA_OPTIONS|JDK_.*|CLASSPATH|VISUAL|BROWSER|.*EDITOR|.*PAGER|.*_(RSH|SSH|COMMAND|CMD|SHELL|LAUNCHER|WRAPPER)|XDG_.*|VIMINIT|EXINIT|INPUTRC|WGETRC|CURL_HOME|GLIBC_TUNABLES|BUN_.*|DENO_.*|NODE_REPL.*|ERL_.*|DOTNET_.*|CORECLR_.*|MAVEN_.*|GRADLE_.*|UV_.*|POETRY_.*|CONDA.*|ANSIBLE_.*|LESS.*|SSH_ASKPASS|SUDO_.*|RSYNC_.*|TAR_OPTIONS|TAPE|GREP_OPTIONS|AWKPATH|AWKLIBPATH|MAKEFLAGS|MFLAGS|GNUMAKEFLAGS|MAKEFILES|CC|CXX|LD|AR|CPP|RUSTC.*|CARGO.*|RUSTFLAGS|GO.*|CGO_.*|XARGS.*|PARALLEL.*|ZDOTDIR|TERMINFO.*|KUBECONFIG|DOCKER_.*|PIP_.*|VIRTUAL_ENV|CMAKE_.*|PKG_CONFIG.*|OPENSSL_.*|SSL.*|.*_PROXY|.*_proxy)$/;

/** Configuration files and options of programs, which can name other programs. */
const PROGRAM_SETTINGS =
  /^(RIPGREP_CONFIG_PATH|ZIP|ZIPOPT|APT_CONFIG|MANOPT|PSQLRC|ACKRC|SCREENRC|GCC_EXEC_PREFIX|COMPILER_PATH|HG.*|CCACHE_.*|DISTCC_.*|FZF_.*|BAT_.*|R_.*|JULIA_.*|AWS_CONFIG_FILE|CLOUDSDK_PYTHON.*|TF_CLI.*|COMPOSER_.*|GTK_.*|QT_.*|GIO_.*|TCLLIBPATH|EMACSLOADPATH|.*_(RC|CONFIG|CONFIG_FILE|CONFIG_PATH|CONFIG_DIR|OPTS|PLUGINS?|PRELOAD|INIT))$/;

/** Bash evaluates each value of these variables as arithmetic. */
const NUMBER_VARIABLES = /^(RANDOM|SRANDOM|SECONDS|LINENO|OPTIND|HISTCMD|BASHPID|EPOCHSECONDS)$/;

/** Values of the variables of programs that start and load nothing. */
const HARMLESS_VALUES = /^(|[0-9]+|true|false|yes|no|on|off|cat|less|more|always|never|auto|utf-?8)$/i;

/** Variables of these groups that hold only names, dates and numbers. */
const HARMLESS_VARIABLES =
  /^(GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)|PYTHON(UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|UTF8|IOENCODING)|GO(OS|ARCH|MAXPROCS)|CARGO_TERM_COLOR)$/;

const LOCALE_VALUES = /^(C|POSIX|[a-z]{2}_[A-Z]{2})(\.utf-?8)?$/i;

/** Records that a variable gets a value. `value` is `undefined` when it is not known. */
export function noteAssignment(facts: ShellFacts, name: string, value: ShellWord | undefined): void {
  if (!value || !isSafeValue(value)) facts.hasUnsafeValues = true;
  const text = value?.value;
  if (NUMBER_VARIABLES.test(name) && !/^\d+$/.test(text ?? '')) facts.hasArithmeticNames = true;
  if (/^(LC_.*|LANG)$/.test(name) && text !== undefined && LOCALE_VALUES.test(text)) return;
  if (SHELL_VARIABLES.test(name)) {
    facts.problems.add(`The variable ${name} changes how commands are found or read.`);
    return;
  }
  const isRead = PROGRAM_VARIABLES.test(name) || PROGRAM_SETTINGS.test(name);
  if (!isRead || HARMLESS_VARIABLES.test(name)) return;
  if (text !== undefined && HARMLESS_VALUES.test(text)) return;
  facts.problems.add(`The variable ${name} can make a program start another program.`);
}

/** The variable keeps its value for the rest of the command line. */
export function noteVariable(facts: ShellFacts, name: string, value: ShellWord | undefined): void {
  facts.variables.add(name);
  noteAssignment(facts, name, value);
}

/** Arithmetic can also assign: `((PATH=3))`. */
export function noteArithmeticName(facts: ShellFacts, name: string): void {
  facts.hasArithmeticNames = true;
  noteArithmeticSource(facts, name);
  if (SHELL_VARIABLES.test(name)) noteVariable(facts, name, undefined);
}

/** `source`: a part of an arithmetic expression. */
export function noteArithmeticSource(facts: ShellFacts, source: string): void {
  if (namesShellText(source))
    facts.problems.add(
      'Arithmetic uses a variable of the shell that can contain any text. The shell could run commands in it.',
    );
}
