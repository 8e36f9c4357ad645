// What the rules are compared with, for the approval hook and for `parley permissions test`.
import type { Ports } from '../../contracts/index.ts';
import type { PermissionContext } from '../../permissions/index.ts';
import type { SettingValues } from '../../settings/index.ts';
import { resolveSettingPaths } from '../../support/home-directory.ts';
import { getShell } from '../../tools/shell.ts';

export interface PermissionContextOptions {
  readonly ports: Ports;
  readonly settings: Pick<SettingValues, 'shellPath' | 'sandbox.writableRoots'>;
  readonly home: string;
}

export async function createPermissionContext({
  ports,
  settings,
  home,
}: PermissionContextOptions): Promise<Omit<PermissionContext, 'policy'>> {
  return {
    home,
    shell: await getShell(ports, settings.shellPath),
    env: ports.toolEnv,
    writableRoots: resolveSettingPaths(settings['sandbox.writableRoots'], home),
    files: ports.files,
  };
}
