// The hall: `parley doctor`: looks at everything that Parley leans on, and says how to mend what is wrong. Changes nothing.

import { parseArgs } from 'node:util';
import { Fault, messageOf } from '../../base/index.ts';
import { DIRECTORY_GONE } from '../../base/system-error.ts';
import { error, type Finding, ok } from '../doctor/finding.ts';
import { checkModels } from '../doctor/models.ts';
import { checkDisk, checkPermissions } from '../doctor/places.ts';
import { checkGit, checkInit, checkNode, checkRipgrep } from '../doctor/programs.ts';
import { homeDirectory } from '../home.ts';
import { loadSettings, userDirectory } from '../settings.ts';
import { diskSpace } from '../system-ports/disk-space.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import { decideTrust } from '../trust/decide.ts';
import { settingsReading } from '../trust/settings-reading.ts';

export const DOCTOR_HELP = `Usage: parley doctor [--json]

Checks Node, git, ripgrep, settings, keys, models, permissions and disk space, and says how to mend what is wrong.
Exits with 0 when Parley can work, with 1 when something must be mended. Warnings do not count.
`;

const OPTIONS = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
const SIGNS = { ok: 'ok     ', warning: 'warning', error: 'ERROR  ' } as const;

/** Returns what is to be printed. */
export async function runDoctor(argv: readonly string[]): Promise<string> {
  const { json, help } = parse(argv);
  if (help) return DOCTOR_HELP;
  const findings = await examine();
  const healthy = findings.every(({ status }) => status !== 'error');
  if (!healthy) process.exitCode = 1;
  if (json) return `${JSON.stringify({ ok: healthy, findings }, null, 2)}\n`;
  const lines = findings.flatMap(({ check, status, found, mend }) => [
    `${SIGNS[status]}  ${check.padEnd(11)}  ${found}`,
    ...(mend ? [`${' '.repeat(22)}${mend}`] : []),
  ]);
  return `${lines.join('\n')}\n`;
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS }).values;
  } catch (thrown) {
    throw new Fault('config', `${messageOf(thrown)}\n\n${DOCTOR_HELP}`);
  }
}

async function examine(): Promise<Finding[]> {
  const env = process.env;
  const here = currentDirectory();
  const cwd = here ?? '/';
  const directory = userDirectory(env, homeDirectory());
  const ports = createSystemPorts({ own: directory });
  try {
    const question = { files: ports.files, agentDirectory: directory, cwd };
    const { trusted } = await decideTrust(question);
    const refused: string[] = [];
    const report = (sentence: string) => void refused.push(sentence);
    const files = await settingsReading({ ...question, home: homeDirectory(), trusted, report });
    const settings = await loadSettings({ files, directory, project: trusted ? cwd : undefined });
    return [
      checkNode(process.versions.node),
      ...checkInit(process.pid, await processOne(ports)),
      ...(here === undefined ? [error('directory', DIRECTORY_GONE, 'Change to a directory that exists.')] : []),
      await checkGit(ports, cwd),
      await checkRipgrep(ports, cwd),
      ...checkSettings([...refused, ...settings.problems], directory),
      ...(await checkModels({ ports, agentDirectory: directory, settings: settings.values, env })),
      // Windows has no such rights.
      ...(process.platform === 'win32' ? [] : await checkPermissions(ports.files, directory)),
      checkDisk(directory, await diskSpace(directory)),
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

async function processOne({ files }: ReturnType<typeof createSystemPorts>): Promise<string | undefined> {
  const name = await files.read('/proc/1/comm').catch(() => undefined);
  return name && new TextDecoder().decode(name).trim();
}

function checkSettings(problems: readonly string[], directory: string): Finding[] {
  if (problems.length === 0) return [ok('settings', `as ${directory} says; \`parley config\` shows them`)];
  const mend = 'Mend the file, or take the key out: `parley config unset KEY`. Every key: docs/protocol/settings.md.';
  return problems.map((problem) => error('settings', problem, mend));
}
