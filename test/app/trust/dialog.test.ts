// The question whether a project is trusted: it names everything that the project brings along.
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { introduceProject } from '../../../src/app/trust/introduce.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

test('all names are in the question, and none of them hides another', async () => {
  const messages: string[] = [];
  const found = [...Array.from({ length: 30 }, (_, at) => `.parley/extensions/${at}.ts`), '.pi/\u202eevil'];
  await introduceProject({
    ports: createSystemPorts(),
    agentDirectory: temporaryDirectory(),
    cwd: temporaryDirectory(),
    found,
    because: 'nothing' as never,
    places: {} as never,
    takeSettings: async () => {},
    tell: () => {},
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
