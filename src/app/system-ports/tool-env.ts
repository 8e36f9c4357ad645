// The environment of child processes: the user's environment without the variables that hold API keys.
import { readFileSync, statSync } from 'node:fs';
import { findReferencedVariables, KEY_VARIABLES, SECRET_VARIABLE_NAME } from '../../llm/index.ts';

/** Providers that only other programs use, with `<NAME>_API_KEY`. Their keys are protected too. */
const OTHER_PROVIDERS = [
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

/** Variables that hold the key of a provider. Does not contain general ones that the user's tools need, such as GITHUB_TOKEN. */
export const PROVIDER_VARIABLES: readonly string[] = [
  ...KEY_VARIABLES,
  ...OTHER_PROVIDERS.map((name) => `${name}_API_KEY`),
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'COPILOT_GITHUB_TOKEN',
];

const OWN_SECRET = /^PARLEY_.*(KEY|TOKEN|SECRET|PASSWORD|DATABASE_URL)/i;

/** Files in the user's Parley directory in which a key may be given as the name of a variable. */
const KEY_FILES = ['models.json', 'auth.json'] as const;

type Env = Readonly<Record<string, string>>;

export interface ToolEnvOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The user's Parley directory, which contains models.json and auth.json. */
  readonly agentDirectory?: string | undefined;
  /** Additional variables that hold keys. */
  readonly withhold?: readonly string[] | undefined;
  /** Called once with each variable that holds a key and is not a well-known one. */
  onSecretVariable(variable: string): void;
}

export interface ToolEnv {
  /** The environment without all variables that are known to hold a key. */
  current(): Env;
  /** Removes keys from another environment. `keys` are not removed, unless they are well-known variables. */
  clean(env: Env, keys?: readonly string[]): Env;
  withhold(variable: string): void;
}

/** Reads no files at creation. The files are read when the environment is first requested, and again when they have changed. */
export function createToolEnv({ env, agentDirectory, withhold = [], onSecretVariable }: ToolEnvOptions): ToolEnv {
  const withheld = new Set<string>();
  const fileStamps = new Map<string, string>();
  let current: Env | undefined;

  function add(variable: string): void {
    if (withheld.has(variable)) return;
    withheld.add(variable);
    current = undefined;
    onSecretVariable(variable);
  }

  /** A withheld variable stays withheld, because an older version of a file may be in use. */
  function readFiles(): void {
    for (const path of agentDirectory === undefined ? [] : KEY_FILES.map((name) => `${agentDirectory}/${name}`)) {
      const stamp = readFileStamp(path);
      if (fileStamps.get(path) === stamp) continue;
      fileStamps.set(path, stamp);
      if (stamp !== ABSENT) for (const name of readSecretVariables(path, Object.keys(env))) add(name);
    }
  }

  function removeKeys(source: NodeJS.ProcessEnv, keys: readonly string[] = []): Env {
    readFiles();
    const result: Record<string, string> = {};
    for (const [name, value] of Object.entries(source)) {
      const isKey = isKnownSecretVariable(name) || (withheld.has(name) && !keys.includes(name));
      if (value !== undefined && !isKey) result[name] = value;
    }
    return result;
  }

  for (const variable of withhold) add(variable);
  return {
    current() {
      readFiles();
      current ??= Object.freeze(removeKeys(env));
      return current;
    },
    clean: removeKeys,
    withhold: add,
  };
}

export function isKnownSecretVariable(variable: string): boolean {
  return OWN_SECRET.test(variable) || PROVIDER_VARIABLES.includes(variable.toUpperCase());
}

const ABSENT = '';

/** A text that changes whenever the file changes. */
function readFileStamp(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats ? `${stats.mode} ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : ABSENT;
  } catch {
    return 'unreadable';
  }
}

/** A file that cannot be read may name any variable, so all variables with names like secrets are withheld. */
function readSecretVariables(path: string, names: readonly string[]): string[] {
  try {
    // Reading a pipe would block the process.
    if (statSync(path).isFile()) return findReferencedVariables(readFileSync(path, 'utf8'), names);
  } catch {
    // Not readable.
  }
  return names.filter((name) => SECRET_VARIABLE_NAME.test(name));
}
