// Searches ignore the user's ripgrep configuration.
import { expect, test } from 'vitest';
import { find } from '../../src/tools/find.ts';
import { grep } from '../../src/tools/grep.ts';
import { createToolFixture, getText } from './tool-fixture.ts';

test("the user's ripgrep configuration is ignored", async () => {
  const fixture = createToolFixture();
  fixture.writeFiles({
    'a.ts': 'word\n',
    'deep/b.ts': 'word\n',
    ripgreprc: '--max-depth=1\n--glob=!*.ts\n--invert-match\n',
  });
  const toolEnv = { ...fixture.ports.toolEnv, RIPGREP_CONFIG_PATH: fixture.path('ripgreprc') };
  const configured = { ...fixture, ports: { ...fixture.ports, toolEnv } };
  expect(getText(await find.run({ pattern: '*.ts' }, configured))).toBe('a.ts\ndeep/b.ts');
  expect(getText(await grep.run({ pattern: 'word' }, configured))).toBe('a.ts:1: word\ndeep/b.ts:1: word');
});
