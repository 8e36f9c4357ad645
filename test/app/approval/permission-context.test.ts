// The writable roots that rules are compared with are those of the sandbox and the path policy.
import { expect, test } from 'vitest';
import { createPermissionContext } from '../../../src/app/approval/permission-context.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { defaultSettings } from '../../../src/settings/index.ts';

test('relative writable roots are relative to the home directory, not to the working directory', async () => {
  const settings = { ...defaultSettings, 'sandbox.writableRoots': ['tools', '~/more', '/srv/shared'] };
  const context = await createPermissionContext({ ports: createSystemPorts({}), settings, home: '/home/user' });
  expect(context.writableRoots).toEqual(['/home/user/tools', '/home/user/more', '/srv/shared']);
});
