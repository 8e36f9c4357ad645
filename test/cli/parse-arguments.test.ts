// Tests of parsing the command line.
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/index.ts';
import { formatHelp } from '../../src/cli/help.ts';
import { parseArguments, parsePositionals } from '../../src/cli/parse-arguments.ts';
import { FLAG_GROUPS, FLAGS } from '../../src/settings/index.ts';

const RPC = ['--mode', 'rpc'];

function getFault(...argv: string[]): Fault {
  try {
    parseArguments(argv);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(Fault);
    return thrown as Fault;
  }
  throw new Error(`${argv.join(' ')} was accepted`);
}

describe('limits', () => {
  test('numbers become numbers', () => {
    const options = parseArguments(['--max-cost', '0.5', '--max-turns=3', '--max-time', '90', '--max-tool-calls', '4']);
    expect(options).toMatchObject({ maxCost: 0.5, maxTurns: 3, maxTime: 90, maxToolCalls: 4, maxTokens: undefined });
  });

  test.each([
    ['--max-cost', 'much', 'Flag --max-cost takes a number above 0 (got "much")'],
    ['--max-cost', '0', 'Flag --max-cost takes a number above 0 (got "0")'],
    ['--max-turns', '2.5', 'Flag --max-turns takes a whole number above 0 (got "2.5")'],
    ['--max-turns', '', 'Flag --max-turns takes a whole number above 0 (got "")'],
  ])('%s %s', (flag, value, message) => {
    expect(getFault(`${flag}=${value}`).message).toBe(message);
  });
});

describe('aliases', () => {
  test.each([
    [['--approve'], { trust: true, noTrust: false }],
    [['-a'], { trust: true, noTrust: false }],
    [['--no-approve'], { trust: false, noTrust: true }],
    [['-na'], { trust: false, noTrust: true }],
    [['--yolo'], { autoApprove: true }],
    [['-t', 'read'], { tools: ['read'] }],
    [['-nt'], { noTools: true, name: undefined }],
    [['-nbt'], { noBuiltinTools: true, name: undefined }],
    [['-nc'], { noContextFiles: true, name: undefined }],
    [['-xt', 'a,b', '--exclude-tools=b,c'], { excludeTools: ['a', 'b', 'c'] }],
  ])('%j', (argv, fields) => {
    expect(parseArguments(argv)).toMatchObject(fields);
    expect(parseArguments([...RPC, ...argv])).toMatchObject(fields);
  });

  test.each(['', ' ', ','])('--exclude-tools=%j excludes nothing, which is an error', (list) => {
    expect(getFault(`--exclude-tools=${list}`).message).toBe(
      `Flag --exclude-tools needs at least one name (got "${list}")`,
    );
  });

  test('an error names the flag as it was written', () => {
    expect(getFault('--approve=no').message).toBe('Flag --approve takes no value (got "no")');
  });
});

describe('values', () => {
  test('without arguments the mode is text and nothing is set', () => {
    expect(parseArguments([])).toMatchObject({
      mode: 'text',
      print: false,
      model: undefined,
      tools: undefined,
      extension: [],
      listModels: undefined,
      messages: [],
      files: [],
      unknown: {},
      warnings: [],
    });
  });

  test('a value may follow its flag or an equals sign, and the last one wins', () => {
    expect(parseArguments(['--model', 'a', '--provider=p']).model).toBe('a');
    expect(parseArguments(['--model', 'a', '--provider=p']).provider).toBe('p');
    expect(parseArguments(['--model=a=b']).model).toBe('a=b');
    expect(parseArguments(['--model', 'a', '--model', 'b']).model).toBe('b');
    expect(parseArguments(['--append-system-prompt', '']).appendSystemPrompt).toBe('');
    expect(parseArguments(['--append-system-prompt=']).appendSystemPrompt).toBe('');
  });

  test('short flags may be separate, combined or of two letters', () => {
    expect(parseArguments(['-p', '-c', '-r', '-n', 'x', '-h', '-v'])).toMatchObject({
      print: true,
      continue: true,
      resume: true,
      name: 'x',
      help: true,
      version: true,
    });
    expect(parseArguments(['-pc'])).toMatchObject({ print: true, continue: true });
    expect(parseArguments(['-ne', '-ns', '-np'])).toMatchObject({
      noExtensions: true,
      noSkills: true,
      noPromptTemplates: true,
      name: undefined,
    });
  });

  test('lists are split at commas, repeatable flags are collected', () => {
    expect(parseArguments(['--tools', 'read, bash,,', '--models=a/b']).tools).toEqual(['read', 'bash']);
    expect(parseArguments(['--tools=']).tools).toEqual([]);
    expect(parseArguments(['-e', 'a.ts', '--extension=b.ts', '-e', 'c.ts']).extension).toEqual([
      'a.ts',
      'b.ts',
      'c.ts',
    ]);
  });

  test('--list-models takes an optional search text', () => {
    expect(parseArguments(['--list-models']).listModels).toBe('');
    expect(parseArguments(['--list-models', 'opus']).listModels).toBe('opus');
    expect(parseArguments(['--list-models', 'opus']).messages).toEqual([]);
    expect(parseArguments(['--list-models=opus', 'hello'])).toMatchObject({ listModels: 'opus', messages: ['hello'] });
    expect(parseArguments(['--list-models', '--offline'])).toMatchObject({ listModels: '', offline: true });
  });

  test('text that starts with a dash but is not a flag is a value', () => {
    expect(parseArguments(['--system-prompt', '- be brief\n- be kind']).systemPrompt).toBe('- be brief\n- be kind');
    expect(parseArguments(['--name', '-1', '--cwd=--odd'])).toMatchObject({ name: '-1', cwd: '--odd' });
  });
});

describe('positionals', () => {
  test('messages and files are separated, in order', () => {
    const { messages, files } = parseArguments(['@a.md', 'fix', '-p', 'this', '@b c.png', '@']);
    expect([messages, files]).toEqual([
      ['fix', 'this', '@'],
      ['a.md', 'b c.png'],
    ]);
  });

  test('everything after -- is a message', () => {
    const { messages, files, help } = parseArguments(['--', '--help', '@a', '-ne']);
    expect([messages, files, help]).toEqual([['--help', '@a', '-ne'], [], false]);
  });
});

describe('RPC mode', () => {
  test.each(FLAGS.map((flag) => flag.name))('--%s parses without a warning', (name) => {
    const flag = FLAGS.find((row) => row.name === name)!;
    const isNumber = flag.kind === 'number' || flag.kind === 'count';
    const value = flag.choices?.at(-1) ?? (isNumber ? '3' : 'x');
    const argv = flag.kind === 'switch' ? [`--${name}`] : [`--${name}`, value];
    const { warnings, mode } = parseArguments([...RPC, ...argv]);
    expect([warnings, mode]).toEqual([[], 'rpc']);
  });

  test('unknown flags are kept for extensions, and take the following argument as their value', () => {
    const options = parseArguments([
      ...RPC,
      '--plan',
      'x',
      '--foo=bar',
      '--last',
      '-z',
      '@file',
      '--plan',
      'x',
      '--model',
      'm',
    ]);
    expect(options.warnings).toEqual([]);
    expect(options.unknown).toEqual({
      plan: { value: 'x', errorMessage: 'Unknown flag: --plan' },
      foo: { value: 'bar', errorMessage: 'Unknown flag: --foo' },
      last: { value: true, errorMessage: 'Unknown flag: --last' },
      z: { value: '@file', errorMessage: 'Unknown flag: -z' },
    });
    expect([options.messages, options.files, options.model]).toEqual([[], [], 'm']);
  });

  test('the mode may follow an unknown flag', () => {
    expect(parseArguments(['--plan', '--mode=rpc'])).toMatchObject({ mode: 'rpc', unknown: { plan: { value: true } } });
  });

  test('a message is ignored with a warning', () => {
    const { messages, warnings } = parseArguments([...RPC, 'hello']);
    expect([messages, warnings]).toEqual([[], ['Message arguments are ignored in RPC mode: hello']]);
  });

  test('@file is an error', () => {
    const { code, message } = getFault(...RPC, '@x');
    // The code is not `config`: pi and oh-my-pi exit with 1 here, not with 2.
    expect([code, message]).toEqual(['refused', '@file arguments are not supported in RPC mode']);
  });
});

describe('errors', () => {
  test('an unknown flag is reported with a suggestion', () => {
    const getErrors = (...argv: string[]) =>
      Object.values(parseArguments(argv).unknown).map(({ errorMessage }) => errorMessage);
    expect(getErrors('--modle', 'x')).toEqual(['Unknown flag: --modle (did you mean --model?)']);
    expect(getErrors('--sesion-dir=x')).toEqual(['Unknown flag: --sesion-dir (did you mean --session-dir?)']);
    expect(getErrors('--banana', '-x')).toEqual(['Unknown flag: --banana', 'Unknown flag: -x']);
  });

  test('when an unknown flag is a switch, the following argument becomes a message or a file again', () => {
    const argv = ['a', '--plan', 'b', '--kind', 'k', '--plan', '@c', '--', '--plan'];
    expect(parseArguments(argv)).toMatchObject({ messages: ['a', '--plan'], files: [] });
    expect(parsePositionals(argv, new Set(['plan']))).toEqual({ messages: ['a', 'b', '--plan'], files: ['c'] });
  });

  test.each([
    [['--mode', 'tui'], 'Flag --mode takes text, json, rpc, rpc-ui, acp (got "tui")'],
    [['--thinking', 'max'], 'Flag --thinking takes off, minimal, low, medium, high, xhigh (got "max")'],
    [['--stream='], 'Flag --stream takes full, delta (got "")'],
    [['--on-eof', 'die'], 'Flag --on-eof takes finish, abort (got "die")'],
    [['--model'], 'Flag --model needs a value'],
    [['-n'], 'Flag --name needs a value'],
    [
      ['--model', '--print'],
      'Flag --model needs a value, but --print follows; use --model=--print to pass it as the value',
    ],
    [['--model', '-p'], 'Flag --model needs a value, but -p follows; use --model=-p to pass it as the value'],
    [['--print=yes'], 'Flag --print takes no value (got "yes")'],
  ])('%j, in every mode', (argv, message) => {
    expect(getFault(...argv).message).toBe(message);
    const inRpc = argv[0] === '--mode' ? argv : [...RPC, ...argv];
    expect(getFault(...inRpc).message).toBe(message);
    expect(getFault(...argv).code).toBe('config');
  });
});

describe('help', () => {
  test('lists all flags except those that are only accepted', () => {
    const help = formatHelp();
    const accepted: readonly string[] = FLAG_GROUPS.accepted.map(({ name }) => name);
    for (const { name } of FLAGS) {
      const listed = new RegExp(`^ .*--${name}\\b(?!-)`, 'm').test(help);
      expect([name, listed]).toEqual([name, !accepted.includes(name)]);
    }
    expect(help).toContain('--mode text|json|rpc');
    expect(help).toContain('-h, --help');
    expect(help).toContain('off, minimal, low, medium, high, xhigh');
  });

  test('no line is wider than a terminal of 100 columns', () => {
    expect(
      formatHelp()
        .split('\n')
        .filter((line) => line.length > 100),
    ).toEqual([]);
  });
});

test('flag names, short forms and aliases are unique', () => {
  const spellings = FLAGS.flatMap((flag) => [
    `--${flag.name}`,
    `-${flag.short ?? flag.name}`,
    `-${flag.alias ?? `-${flag.name}!`}`,
  ]);
  expect(new Set(spellings).size).toBe(spellings.length);
});
