// Checks calls against rules with a small file system in memory.
import type { FileInfo, PermissionDecision, Tool } from '../../src/contracts/index.ts';
import {
  type CallToCheck,
  checkPermission,
  type PermissionContext,
  type PermissionResult,
  type PermissionRules,
  type RuleScope,
} from '../../src/permissions/index.ts';
import type { ApprovalPolicy } from '../../src/protocol/index.ts';

export const CWD = '/srv/project';
const PROGRAMS =
  'ls cat rm git npm node echo find env xargs sudo sh bash python3 sort sed rg uniq date hostname file tree xxd curl make head tail wc grep tee touch cp mv timeout awk perl test true printf sleep ssh base64 sha256sum';

/** The targets of links, by path. */
const LINKS: Readonly<Record<string, string>> = {
  [`${CWD}/link-to-etc`]: '/etc',
  [`${CWD}/link-to-secret`]: `${CWD}/secrets/key.pem`,
  '/opt/tools/remove': '/usr/bin/rm',
  '/bin': '/usr/bin',
};
const EXECUTABLES = new Set([
  ...PROGRAMS.split(' ').map((name) => `/usr/bin/${name}`),
  `${CWD}/node_modules/.bin/vitest`,
  `${CWD}/scripts/build.sh`,
  '/roots/extra/bin/tool',
  '/opt/tools/remove',
]);
const DIRECTORIES = new Set(['/', CWD, `${CWD}/src`, `${CWD}/secrets`, '/etc', '/home/me', '/usr/bin']);

function resolveLinks(path: string): string {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..') names.pop();
    else names.push(name);
    const target = LINKS[`/${names.join('/')}`];
    if (target !== undefined) names.splice(0, names.length, ...target.split('/').filter(Boolean));
  }
  return `/${names.join('/')}`;
}

const files: PermissionContext['files'] = {
  realPath: async (path) => resolveLinks(path),
  async info(path): Promise<FileInfo | undefined> {
    const real = resolveLinks(path);
    const details = { size: 1, modifiedMs: 0 };
    if (DIRECTORIES.has(real)) return { ...details, kind: 'directory', mode: 0o755 };
    if (EXECUTABLES.has(path) || EXECUTABLES.has(real)) return { ...details, kind: 'file', mode: 0o755 };
    return undefined;
  },
};

export interface Case {
  readonly tool?: string;
  readonly effect?: Tool['effect'];
  readonly command?: string;
  readonly path?: string;
  readonly url?: string;
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly session?: readonly string[];
  readonly policy?: ApprovalPolicy;
  readonly isEscalated?: boolean;
  readonly pathVariable?: string;
  readonly input?: Readonly<Record<string, unknown>>;
}

const EFFECTS: Readonly<Record<string, Tool['effect']>> = {
  read: 'read',
  grep: 'read',
  ls: 'read',
  find: 'read',
  edit: 'write',
  write: 'write',
};

export function toCall({ tool, effect, command, path, url, isEscalated = false, input = {} }: Case): CallToCheck {
  const toolName = tool ?? (command === undefined ? 'read' : 'bash');
  const subjects = [
    ...(command === undefined ? [] : [{ kind: 'command' as const, command }]),
    ...(path === undefined ? [] : [{ kind: 'path' as const, path }]),
    ...(url === undefined ? [] : [{ kind: 'url' as const, url }]),
  ];
  return { toolName, effect: effect ?? EFFECTS[toolName] ?? 'execute', input, subjects, cwd: CWD, isEscalated };
}

export function toRules({ allow = [], ask = [], deny = [], session = [] }: Case): PermissionRules {
  const scoped = (texts: readonly string[], scope: RuleScope = 'user') => texts.map((text) => ({ text, scope }));
  return { allow: [...scoped(allow), ...scoped(session, 'session')], ask: scoped(ask), deny: scoped(deny) };
}

export function toContext({ policy = 'on-write', pathVariable = '/usr/bin:/opt/tools' }: Case): PermissionContext {
  const env = { PATH: pathVariable };
  return { policy, home: '/home/me', shell: '/bin/bash', env, writableRoots: ['/roots/extra'], files };
}

export function check(one: Case): Promise<PermissionResult> {
  return checkPermission(toCall(one), toRules(one), toContext(one));
}

export async function decide(one: Case): Promise<PermissionDecision> {
  return (await check(one)).decision;
}
