// Searches do what they say, whatever the user has configured for their own.
import { expect, test } from 'vitest';
import { find } from '../../src/tools/find.ts';
import { grep } from '../../src/tools/grep.ts';
import { surroundings, textOf } from './surroundings.ts';

test("the user's configuration of ripgrep does not count", async () => {
  const here = surroundings();
  here.put({ 'a.ts': 'word\n', 'deep/b.ts': 'word\n', ripgreprc: '--max-depth=1\n--glob=!*.ts\n--invert-match\n' });
  const toolEnv = { ...here.ports.toolEnv, RIPGREP_CONFIG_PATH: here.path('ripgreprc') };
  const configured = { ...here, ports: { ...here.ports, toolEnv } };
  expect(textOf(await find.run({ pattern: '*.ts' }, configured))).toBe('a.ts\ndeep/b.ts');
  expect(textOf(await grep.run({ pattern: 'word' }, configured))).toBe('a.ts:1: word\ndeep/b.ts:1: word');
});
