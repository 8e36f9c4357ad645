// The question whether to trust a project lists all configuration of the project.
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { askForTrust } from '../../src/trust/ask-for-trust.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

test('the question contains all names, with invisible characters escaped', async () => {
  const messages: string[] = [];
  const found = [...Array.from({ length: 30 }, (_, at) => `.parley/extensions/${at}.ts`), '.pi/\u202eevil'];
  await askForTrust({
    ports: createSystemPorts(),
    agentDirectory: createTemporaryDirectory(),
    cwd: createTemporaryDirectory(),
    found,
    reason: 'nothing' as never,
    resourceLocator: {} as never,
    applySettings: async () => {},
    notify: () => {},
    ui: {
      async ask(question) {
        messages.push('message' in question ? (question.message ?? '') : '');
        return undefined;
      },
    },
  });
  expect(messages).toHaveLength(1);
  for (const name of found.slice(0, 30)) expect(messages[0]).toContain(name);
  expect(messages[0]).toContain('.pi/\\u202eevil');
  expect(messages[0]).not.toContain('\u202e');
});
