// Creates the workspaces of a node from its settings. Loaded only if a remote is configured.
import { join } from 'node:path';
import type { Ports } from '../../../contracts/index.ts';
import type { SettingValues } from '../../../settings/index.ts';
import { homeDirectory, resolveSettingPaths, resolveUserPath } from '../../../support/home-directory.ts';
import type { OpenedStorage } from '../../session-storage.ts';
import { isPath, parseRepository } from './repository-url.ts';
import { Workspaces, type WorkspacesOptions } from './workspaces.ts';

export interface CreateWorkspacesOptions extends Pick<WorkspacesOptions, 'isOpen' | 'reopen'> {
  readonly storage: OpenedStorage;
  readonly ports: Ports;
  readonly settings: SettingValues;
  readonly agentDirectory: string;
  readonly cwd: string;
}

const HOUR_MS = 3_600_000;

export function createWorkspaces(options: CreateWorkspacesOptions): Workspaces {
  const { storage, ports, settings, agentDirectory, cwd, isOpen, reopen } = options;
  const { 'workspace.directory': directory, 'workspace.remote': remote = '' } = settings;
  const home = homeDirectory();
  const paths = settings['workspace.repositories'].filter((one) => isPath(one) || one.startsWith('~/'));
  const urls = settings['workspace.repositories'].filter((one) => !paths.includes(one));
  return new Workspaces({
    ...{ ports, remote, isOpen, reopen },
    index: storage.index,
    tenant: storage.postgres.tenant,
    directory: directory === undefined ? join(agentDirectory, 'workspaces') : resolveUserPath(directory, { cwd, home }),
    repositories: [...resolveSettingPaths(paths, home), ...urls.map(toPath)],
    ownCwd: cwd,
    keepMs: settings['workspace.keepHours'] * HOUR_MS,
  });
}

function toPath(prefix: string): string {
  return prefix.startsWith('file://') ? parseRepository(prefix) : prefix;
}
