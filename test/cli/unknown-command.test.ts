// Which first words are refused as unknown commands, and which are prompts.
import { describe, expect, test } from 'vitest';
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import { createUnknownTopicFault, refuseUnknownCommand } from '../../src/cli/unknown-command.ts';

function refuse(...message: string[]): string | undefined {
  try {
    refuseUnknownCommand(message[0] ?? '', message);
    return undefined;
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'config' });
    return (thrown as Error).message;
  }
}

describe('refused', () => {
  test.each([
    [['install', 'npm:x'], 'Parley installs no packages. Load an extension with -e PATH'],
    [['remove', 'the', 'dead', 'code'], 'To send it as a prompt: parley -p "remove the dead code"'],
    [['list'], '`parley models`, `parley sessions` or `parley config`'],
    [['upgrade'], 'Did you mean `parley update`?'],
    [['auth', 'login'], 'Did you mean `parley login`?'],
    [['init', 'x'], '`parley help` lists the commands.'],
    [['mcp-server'], 'Did you mean `parley mcp serve`?'],
    [['mcp', 'add', 'x'], '`parley mcp` must come before all flags.'],
    [['server'], '`parley serve`'],
    [['rpc'], '`parley --mode rpc`'],
    [['resume'], '`parley --resume` or `parley --continue`'],
    [['exec', 'ls'], '`parley -p MESSAGE`'],
    [['sesions', 'list'], 'Did you mean `parley sessions`?'],
    [['model'], 'Did you mean `parley models`?'],
    [['modles'], 'Did you mean `parley models`?'],
    [['permission'], 'Did you mean `parley permissions`?'],
    [['docter'], 'Did you mean `parley doctor`?'],
    [['models'], '`parley models` must come before all flags.'],
    [['run', '$HOME', "it's"], `parley -p 'run $HOME it'\\''s'`],
  ])('%j', (message, sentence) => {
    expect(refuse(...message)).toContain(sentence);
    expect(refuse(...message)).toMatch(/^Unknown command "/);
  });
});

test.each([
  [['hello']],
  [['explore', 'the', 'code']],
  [['report']],
  [['fix', 'the', 'bug']],
  [['summarise']],
  [['rust', 'or', 'go?']],
  [['constructor']],
  [['toString']],
])('%j is a prompt', (message) => {
  expect(refuse(...message)).toBeUndefined();
});

describe('the first word of the command line', () => {
  test.each([
    [['install', 'npm:x'], 'install'],
    [['--model', 'a/b', 'install'], 'install'],
    [['install the tools'], undefined],
    [['Install'], undefined],
    [['what?'], undefined],
    [['--', 'install'], undefined],
    [['@file.md', 'install'], undefined],
    [['--mode', 'rpc', 'install'], undefined],
    [[], undefined],
  ])('%j: %s', (argv, word) => {
    expect(parseArguments(argv).firstWord).toBe(word);
  });
});

test('the topic of `parley help` may also be unknown', () => {
  expect(createUnknownTopicFault('sesions').message).toBe('Unknown command "sesions". Did you mean `parley sessions`?');
  expect(createUnknownTopicFault('nope').message).toBe('Unknown command "nope". `parley help` lists the commands.');
  expect(createUnknownTopicFault('constructor').message).toContain('lists the commands');
});
