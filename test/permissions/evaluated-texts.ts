// Command lines in which bash evaluates a text that looks like data, or a program starts another one by an unusual option. Each would start `rm`.

/** Verified in bash 5.2: each runs the command in the text. */
const EVALUATED: readonly string[] = [
  // For an array, a quoted value is expanded again.
  "declare -a y='($(rm -rf x))'",
  "declare -a y='([$(rm -rf x)]=1)'",
  "declare -a 'y=($(rm -rf x))'",
  "declare -A y='([$(rm -rf x)]=1)'",
  "typeset -ga y='($(rm -rf x))'",
  "readonly -a y='($(rm -rf x))'",
  "export -a y='($(rm -rf x))'",
  "y=(1); declare y='($(rm -rf x))'",
  "declare -a y; declare y='($(rm -rf x))'",
  'z=\'($(rm -rf x))\'; declare -a y="$z"',
  'z=\'($(rm -rf x))\'; y=(1); declare y="$z"',
  'z=\'($(rm -rf x))\'; read -a y <<< 1; declare y="$z"',
  'z=\'($(rm -rf x))\'; mapfile y <<< 1; declare y="$z"',
  'z=\'($(rm -rf x))\'; for i in 1 2; do declare y="$z"; declare -a y; done',
  // Variables that the shell sets, in arithmetic.
  ": 'a[$(rm -rf x)]'; echo $((_))",
  ": 'a[$(rm -rf x)]'; echo $(($_))",
  ": 'a[$(rm -rf x)]'; echo $((${_}))",
  ": 'a[$(rm -rf x)]'; [[ $_ -eq 1 ]]",
  ": 'a[$(rm -rf x)]'; [[ _ -eq 1 ]]",
  ": 'a[$(rm -rf x)]'; let y=_",
  ": 'a[$(rm -rf x)]'; declare -i y=_",
  "z=1; : 'a[$(rm -rf x)]'; echo ${z:_}",
  "read <<< 'a[$(rm -rf x)]'; echo $((REPLY))",
  "mapfile <<< 'a[$(rm -rf x)]'; echo $((MAPFILE))",
  "[[ 'a[$(rm -rf x)]' =~ .+ ]]; echo $((BASH_REMATCH))",
  "[[ 'a[$(rm -rf x)]' =~ .+ ]]; echo $((${BASH_REMATCH[0]}))",
  // Variables whose values are arithmetic.
  "RANDOM='a[$(rm -rf x)]'",
  "SRANDOM='a[$(rm -rf x)]'",
  "OPTIND='a[$(rm -rf x)]'",
  "HISTCMD='a[$(rm -rf x)]'",
  "for SECONDS in 'a[$(rm -rf x)]'; do :; done",
  "y='a[$(rm -rf x)]'; RANDOM=y",
  // Builtins.
  'y=-v; printf "$y" \'a[$(rm -rf x)]\' 1',
  "y='-v a[$(rm${IFS}x)]'; printf $y 1",
  'jobs -rx rm -rf x',
  'jobs -sx rm -rf x',
  "/proc/self/exe -c 'rm -rf x'",
  '/proc/$$/exe -c "rm -rf x"',
  // A bracket expression with the delimiter in it: newer versions of sed run the text after it.
  "sed 's/[/]/;s/e;p;#/c/' <<< 'rm -rf x /'",
];

/** Programs and options that start another program. */
const STARTED: readonly string[] = [
  'some-wrapper rm -rf x',
  './wrapper.sh --run "rm -rf x"',
  'vimdiff -c "!rm -rf x" a b',
  'rview -c "!r\\m -rf x"',
  'install -s --strip-program=rm x y',
  'cpio --rsh-command=rm -F h:x',
  'some-wrapper "r\'\'m -rf x"',
  'npx -c \'r""m -rf x\'',
  "npm exec -c 'r\\m -rf x'",
  'ssh host rm -rf x',
  'ssh host <<E\nrm -rf x\nE',
  'psql <<E\n\\! rm -rf x\nE',
  "ftp <<< '!rm -rf x'",
  'sftp host <<E\n!rm -rf x\nE',
  'fd -tx ls -x rm',
  'fd -tx ls -X rm -rf',
  'git merge-index -o rm -a',
  'git merge-index rm -a',
  'rsync --rs rm a b:',
  'make -f - <<E\nall:;rm -rf x\nE',
  'echo "all:;rm -rf x" | make -f -',
  'cat x.ts | bun run -',
  'npm run build --script-shell=./rm',
  'npm test --node-options "--require ./rm.js"',
  // Variables with configuration or options.
  'RIPGREP_CONFIG_PATH=./x rg y',
  "ZIPOPT='-T -TT rm' zip a b",
  'APT_CONFIG=./x apt-get update',
  "MANOPT='-P rm' man ls",
  'PSQLRC=./x psql',
  'GCC_EXEC_PREFIX=./x/ gcc y.c',
  'HGRCPATH=./x hg status',
];

export const EVALUATED_TEXTS: readonly string[] = [...EVALUATED, ...STARTED];
