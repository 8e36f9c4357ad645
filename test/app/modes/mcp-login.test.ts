// Whether a sign-in may use a browser on this machine.
import { expect, test } from 'vitest';
import { hasBrowser } from '../../../src/app/modes/mcp/login.ts';

test.each([
  [{}, 'darwin', true],
  [{}, 'win32', true],
  [{}, 'linux', false],
  [{ DISPLAY: ':0' }, 'linux', true],
  [{ WAYLAND_DISPLAY: 'wayland-0' }, 'linux', true],
  [{ WSL_DISTRO_NAME: 'Debian' }, 'linux', true],
  [{ DISPLAY: ':10', SSH_CONNECTION: '1' }, 'linux', false],
  [{ SSH_TTY: '/dev/pts/1' }, 'darwin', false],
])('%j on %s: %s', (env, platform, expected) => {
  expect(hasBrowser(env, platform)).toBe(expected);
});
