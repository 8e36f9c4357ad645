// `parley doctor`: checks everything that Parley depends on, and says how to fix problems. Changes nothing.

import { parseArgs } from 'node:util';
import { CWD_MISSING_MESSAGE } from '../../base/system-error.ts';
import { resolveAgentDirectory } from '../../settings/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import { loadProjectSettings } from '../../trust/index.ts';
import { readStorageConfiguration } from '../configured-storage.ts';
import { takeDatabaseSecrets } from '../database-secrets.ts';
import { checkDisk, checkPermissions } from '../doctor/check-directory.ts';
import { checkModels } from '../doctor/check-models.ts';
import { checkGit, checkInit, checkNode, checkRipgrep } from '../doctor/check-programs.ts';
import { checkSandbox } from '../doctor/check-sandbox.ts';
import { error, type Finding, ok } from '../doctor/finding.ts';
import { readDiskSpace } from '../system-ports/disk-space.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import { parseWithHelp } from './parse-with-help.ts';

export const DOCTOR_HELP = `Usage: parley doctor [--json]

Checks Node, git, ripgrep, the sandbox, settings, the database (if one is configured), keys, models, permissions and disk space,
and says how to fix what is wrong.
Exits with 0 when Parley can run, with 1 when there is an error. Warnings do not change the exit code.

Examples:
  parley doctor
  parley doctor --json
`;

const OPTIONS = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
const STATUS_LABELS = { ok: 'ok     ', warning: 'warning', error: 'ERROR  ' } as const;

/** Returns the text to print. */
export async function runDoctor(argv: readonly string[]): Promise<string> {
  const { json, help } = parse(argv);
  if (help) return DOCTOR_HELP;
  const findings = await runChecks();
  const healthy = findings.every(({ status }) => status !== 'error');
  if (!healthy) process.exitCode = 1;
  if (json) return `${JSON.stringify({ ok: healthy, findings }, null, 2)}\n`;
  const lines = findings.flatMap(({ check, status, found, remedy }) => [
    `${STATUS_LABELS[status]}  ${check.padEnd(11)}  ${found}`,
    ...(remedy ? [`${' '.repeat(22)}${remedy}`] : []),
  ]);
  return `${lines.join('\n')}\n`;
}

function parse(argv: readonly string[]) {
  return parseWithHelp(DOCTOR_HELP, () => parseArgs({ args: [...argv], options: OPTIONS }).values);
}

async function runChecks(): Promise<Finding[]> {
  const env = process.env;
  const workingDirectory = currentDirectory();
  const cwd = workingDirectory ?? '/';
  const directory = resolveAgentDirectory(env, homeDirectory());
  const ports = createSystemPorts({ agentDirectory: directory });
  try {
    const problems: string[] = [];
    const { values: settings } = await loadProjectSettings({
      files: ports.files,
      agentDirectory: directory,
      cwd,
      home: homeDirectory(),
      isLenient: true,
      warn: (problem) => void problems.push(problem),
    });
    return [
      checkNode(process.versions.node),
      ...checkInit(process.pid, await readInitName(ports)),
      ...(workingDirectory === undefined
        ? [error('directory', CWD_MISSING_MESSAGE, 'Change to a directory that exists.')]
        : []),
      await checkGit(ports, cwd),
      await checkRipgrep(ports, cwd),
      await checkSandbox(ports, settings),
      ...checkSettings(problems, directory),
      ...(await checkDatabaseLazily(ports)),
      ...(await checkModels({ ports, agentDirectory: directory, settings, env })),
      // Windows has no POSIX permission bits.
      ...(process.platform === 'win32' ? [] : await checkPermissions(ports.files, directory)),
      checkDisk(directory, await readDiskSpace(directory)),
    ];
  } finally {
    await ports.close();
  }
}

function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** Also with the variables only: a project cannot name a database. */
async function checkDatabaseLazily(ports: ReturnType<typeof createSystemPorts>): Promise<Finding[]> {
  const secrets = takeDatabaseSecrets(process.env);
  try {
    const configuration = await readStorageConfiguration({}, ports, secrets);
    if (configuration.url === undefined) return [];
    return await (await import('../doctor/check-database.ts')).checkDatabase(configuration, secrets);
  } catch {
    // A setting that is not valid is reported with the settings.
    return [];
  }
}

async function readInitName({ files }: ReturnType<typeof createSystemPorts>): Promise<string | undefined> {
  const name = await files.read('/proc/1/comm').catch(() => undefined);
  return name && new TextDecoder().decode(name).trim();
}

function checkSettings(problems: readonly string[], directory: string): Finding[] {
  if (problems.length === 0) return [ok('settings', `read from ${directory}; \`parley config\` shows them`)];
  const remedy = 'Fix the file, or remove the key with `parley config unset KEY`. All keys: docs/protocol/settings.md.';
  return problems.map((problem) => error('settings', problem, remedy));
}
