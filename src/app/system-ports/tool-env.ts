// The environment of child processes: everything the user has, without the variables that hold keys of models.
import { readFileSync, statSync } from 'node:fs';
import { SECRET_VARIABLE, variablesNamedIn } from '../../llm/credentials/named-variables.ts';
import { KEY_VARIABLES } from '../../llm/index.ts';

/** Providers that other programs reach with `<NAME>_API_KEY`. Their keys are as good as ours. */
const OTHERS = [
  'AZURE',
  'BASETEN',
  'COHERE',
  'DASHSCOPE',
  'DEEPINFRA',
  'HYPERBOLIC',
  'KIMI',
  'MINIMAX_CN',
  'NEBIUS',
  'NOVITA',
  'OPENCODE',
  'SILICONFLOW',
  'TOGETHER_AI',
  'VENICE',
  'XIAOMI',
  'ZHIPU',
] as const;

/** Variables that hold a provider's key. General ones that users' own tools need, such as GITHUB_TOKEN, are not here. */
export const PROVIDER_VARIABLES: readonly string[] = [
  ...KEY_VARIABLES,
  ...OTHERS.map((name) => `${name}_API_KEY`),
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'COPILOT_GITHUB_TOKEN',
];

const OWN_SECRET = /^PARLEY_.*(KEY|TOKEN|SECRET|PASSWORD)/i;

/** Files of the user's directory in which a key may be the name of a variable. */
const KEY_FILES = ['models.json', 'auth.json'] as const;

type Env = Readonly<Record<string, string>>;

export interface ToolEnvOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The user's own directory, where models.json and auth.json are. */
  readonly directory?: string | undefined;
  /** Further variables that hold keys. */
  readonly withhold?: readonly string[] | undefined;
  /** Called once with each variable that is found to hold a key beside the well-known ones. */
  learnt(variable: string): void;
}

export interface ToolEnv {
  /** The environment without every variable that is known to hold a key. */
  current(): Env;
  /** The same for an environment that was put together elsewhere. `keys` stay in it, unless they are well-known. */
  cleaned(env: Env, keys?: readonly string[]): Env;
  withhold(variable: string): void;
}

/** Creating it reads nothing. The files are read when the environment is first asked for, and again when they have changed. */
export function createToolEnv({ env, directory, withhold = [], learnt }: ToolEnvOptions): ToolEnv {
  const withheld = new Set<string>();
  const stamps = new Map<string, string>();
  let current: Env | undefined;

  function add(variable: string): void {
    if (withheld.has(variable)) return;
    withheld.add(variable);
    current = undefined;
    learnt(variable);
  }

  /** What was withheld once stays so: an older version of a file may be in use. */
  function readFiles(): void {
    for (const path of directory === undefined ? [] : KEY_FILES.map((name) => `${directory}/${name}`)) {
      const stamp = stampOf(path);
      if (stamps.get(path) === stamp) continue;
      stamps.set(path, stamp);
      if (stamp !== ABSENT) for (const name of namedIn(path, Object.keys(env))) add(name);
    }
  }

  function cleaned(given: NodeJS.ProcessEnv, keys: readonly string[] = []): Env {
    readFiles();
    const kept: Record<string, string> = {};
    for (const [name, value] of Object.entries(given)) {
      const isKey = isWellKnown(name) || (withheld.has(name) && !keys.includes(name));
      if (value !== undefined && !isKey) kept[name] = value;
    }
    return kept;
  }

  for (const variable of withhold) add(variable);
  return {
    current() {
      readFiles();
      current ??= Object.freeze(cleaned(env));
      return current;
    },
    cleaned,
    withhold: add,
  };
}

export function isWellKnown(variable: string): boolean {
  return OWN_SECRET.test(variable) || PROVIDER_VARIABLES.includes(variable.toUpperCase());
}

const ABSENT = '';

/** Changes with every version of a file. */
function stampOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats ? `${stats.mode} ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : ABSENT;
  } catch {
    return 'unreadable';
  }
}

/** A file that cannot be read may name any variable: then all that are named like secrets are withheld. */
function namedIn(path: string, names: readonly string[]): string[] {
  try {
    // Reading a pipe would block the process.
    if (statSync(path).isFile()) return variablesNamedIn(readFileSync(path, 'utf8'), names);
  } catch {
    // Not readable.
  }
  return names.filter((name) => SECRET_VARIABLE.test(name));
}
