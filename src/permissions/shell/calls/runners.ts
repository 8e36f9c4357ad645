// Programs that start programs in many ways: package runners, build tools, containers. Their arguments are not interpreted.
import { type CallHandler, reportOptions } from './call-context.ts';

/** Rules that restrict a program search the arguments for its name, as in the program text of an interpreter. */
const searchArguments: CallHandler = (call, context) => {
  const end = call.args.findIndex(({ value }) => value === '--');
  const own = end < 0 ? call.args : call.args.slice(0, end);
  if (own.some(({ value = '' }) => PROGRAM_OPTION.test(value)))
    context.problem(`An option of ${call.name} starts another program.`);
  if (call.input === undefined && TEXT_RUNNERS.includes(call.name) && own.some(({ value }) => isInput(value)))
    context.problem(`The program ${call.name} runs a text that is not known.`);
  const first = call.args.find((word) => !word.value?.startsWith('-'));
  if (first && first.value === undefined) reportOptions(call, context);
  context.setCode([...call.args.map((word) => word.value ?? word.source), call.input?.text ?? ''].join('\n'));
};

/** Settings of npm and pnpm that name a program, or a file with such settings. */
const PROGRAM_OPTION =
  /^--(script-shell|shell|node-options|init-module|git|editor|viewer|globalconfig|userconfig|onload-script)(=|$)/;

/** These run their input when an argument is `-`. */
const TEXT_RUNNERS = ['make', 'gmake', 'bun', 'deno', 'tsx', 'ts-node'];

function isInput(value: string | undefined): boolean {
  return value === '-' || value === '/dev/stdin';
}

const NAMES =
  'npx npm pnpm pnpx yarn yarnpkg bun bunx deno corepack tsx ts-node cross-env dotenv dotenvx env-cmd concurrently ' +
  'uv uvx pipx poetry pipenv pdm hatch rye conda mamba micromamba pyenv tox nox bundle bundler rbenv rake gem asdf mise rtx nix ' +
  'cargo rustup go mix elixir erl sbt mvn mvnw gradle gradlew java jshell groovy scala kotlin dotnet swift ghc runghc guile racket sbcl ' +
  'clojure clj ocaml octave r make gmake cmake ninja just task bazel ctest meson docker podman nerdctl kubectl ' +
  'vagrant ip systemctl service lxc multipass ansible psql mysql mariadb tcpdump aria2c latex pdflatex xelatex lualatex fzf ' +
  'pre-commit husky lint-staged nx turbo lerna wireit snap flatpak distrobox toolbox';

export const RUNNER_HANDLERS: Readonly<Record<string, CallHandler>> = Object.fromEntries(
  NAMES.split(' ').map((name) => [name, searchArguments]),
);
