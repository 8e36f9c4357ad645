// The environment of a command in the sandbox.
import { expect, test } from 'vitest';
import { buildSandboxEnv } from '../../src/sandbox/sandbox-env.ts';

const WITHHELD: Record<string, string> = {
  OPENAI_API_KEY: 'x',
  GITHUB_TOKEN: 'x',
  npm_config__authToken: 'x',
  CLIENT_SECRET: 'x',
  PGPASSWORD: 'x',
  AZURE_DEVOPS_EXT_PAT: 'x',
  SENTRY_DSN: 'x',
  SSH_AUTH_SOCK: '/tmp/agent',
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/x',
  DOCKER_HOST: 'unix:///x',
  XDG_RUNTIME_DIR: '/run/user/1',
  DISPLAY: ':0',
  TMUX: '/tmp/tmux',
  AWS_PROFILE: 'x',
  GIT_ASKPASS: '/x',
  DATABASE_URL: 'postgres://ann:word@db/x',
  HARMLESS: 'ghp_abcdef',
  ALSO_HARMLESS: 'sk-abcdef',
};
const KEPT = {
  PATH: '/usr/bin',
  HOME: '/home/ann',
  PWD: '/w',
  LANG: 'C',
  SSL_CERT_FILE: '/etc/ssl/x.pem',
  GIT_AUTHOR_NAME: 'Ann',
  NODE_OPTIONS: '--no-warnings',
  HOMEPAGE: 'https://example.com/a:b@c',
};

test.each(Object.keys(WITHHELD))('%s is withheld', (name) => {
  expect(Object.keys(buildSandboxEnv({ ...KEPT, ...WITHHELD }, '/tmp'))).not.toContain(name);
});

test('the rest is kept, and the temporary directory is that of the sandbox', () => {
  expect(buildSandboxEnv({ ...KEPT, ...WITHHELD, TMPDIR: '/var/folders/x', TEMP: '/y' }, '/tmp')).toEqual({
    ...KEPT,
    TMPDIR: '/tmp',
    TEMP: '/tmp',
    PARLEY_SANDBOX: '1',
  });
});
