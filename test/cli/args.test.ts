// What a user or a host may write behind the program's name, and what becomes of it.
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/index.ts';
import { parseArguments, wordsBeside } from '../../src/cli/args.ts';
import { FLAGS, type Flag } from '../../src/cli/flags.ts';
import { helpText } from '../../src/cli/help.ts';

const RPC = ['--mode', 'rpc'];

function faultOf(...argv: string[]): Fault {
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
  ])('%s %s', (flag, value, sentence) => {
    expect(faultOf(`${flag}=${value}`).message).toBe(sentence);
  });
});

describe('other names', () => {
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
    expect(faultOf(`--exclude-tools=${list}`).message).toBe(
      `Flag --exclude-tools needs at least one name (got "${list}")`,
    );
  });

  test('the flag as it was written is named in a complaint', () => {
    expect(faultOf('--approve=no').message).toBe('Flag --approve takes no value (got "no")');
  });
});

describe('values', () => {
  test('nothing given: text mode, nothing set', () => {
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

  test('a value may follow its flag or stand behind an equals sign; the last one counts', () => {
    expect(parseArguments(['--model', 'a', '--provider=p']).model).toBe('a');
    expect(parseArguments(['--model', 'a', '--provider=p']).provider).toBe('p');
    expect(parseArguments(['--model=a=b']).model).toBe('a=b');
    expect(parseArguments(['--model', 'a', '--model', 'b']).model).toBe('b');
    expect(parseArguments(['--append-system-prompt', '']).appendSystemPrompt).toBe('');
    expect(parseArguments(['--append-system-prompt=']).appendSystemPrompt).toBe('');
  });

  test('short flags, alone, together and of two letters', () => {
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

  test('lists are split at commas, repeatable flags gather', () => {
    expect(parseArguments(['--tools', 'read, bash,,', '--models=a/b']).tools).toEqual(['read', 'bash']);
    expect(parseArguments(['--tools=']).tools).toEqual([]);
    expect(parseArguments(['-e', 'a.ts', '--extension=b.ts', '-e', 'c.ts']).extension).toEqual([
      'a.ts',
      'b.ts',
      'c.ts',
    ]);
  });

  test('--list-models takes a search or none', () => {
    expect(parseArguments(['--list-models']).listModels).toBe('');
    expect(parseArguments(['--list-models', 'opus']).listModels).toBe('opus');
    expect(parseArguments(['--list-models', 'opus']).messages).toEqual([]);
    expect(parseArguments(['--list-models=opus', 'hello'])).toMatchObject({ listModels: 'opus', messages: ['hello'] });
    expect(parseArguments(['--list-models', '--offline'])).toMatchObject({ listModels: '', offline: true });
  });

  test('text that only looks a little like a flag is a value', () => {
    expect(parseArguments(['--system-prompt', '- be brief\n- be kind']).systemPrompt).toBe('- be brief\n- be kind');
    expect(parseArguments(['--name', '-1', '--cwd=--odd'])).toMatchObject({ name: '-1', cwd: '--odd' });
  });
});

describe('words', () => {
  test('messages and files are kept apart, in order', () => {
    const { messages, files } = parseArguments(['@a.md', 'fix', '-p', 'this', '@b c.png', '@']);
    expect([messages, files]).toEqual([
      ['fix', 'this', '@'],
      ['a.md', 'b c.png'],
    ]);
  });

  test('behind -- everything is a message', () => {
    const { messages, files, help } = parseArguments(['--', '--help', '@a', '-ne']);
    expect([messages, files, help]).toEqual([['--help', '@a', '-ne'], [], false]);
  });
});

describe('RPC mode', () => {
  test.each(FLAGS.map((flag) => flag.name))('--%s parses without a word', (name) => {
    const flag: Flag = FLAGS.find((row) => row.name === name)!;
    const isNumber = flag.kind === 'number' || flag.kind === 'count';
    const value = flag.choices?.at(-1) ?? (isNumber ? '3' : 'x');
    const argv = flag.kind === 'switch' ? [`--${name}`] : [`--${name}`, value];
    const { warnings, mode } = parseArguments([...RPC, ...argv]);
    expect([warnings, mode]).toEqual([[], 'rpc']);
  });

  test('unknown flags are kept for extensions, and swallow the word behind them', () => {
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
      plan: { value: 'x', complaint: 'Unknown flag: --plan' },
      foo: { value: 'bar', complaint: 'Unknown flag: --foo' },
      last: { value: true, complaint: 'Unknown flag: --last' },
      z: { value: '@file', complaint: 'Unknown flag: -z' },
    });
    expect([options.messages, options.files, options.model]).toEqual([[], [], 'm']);
  });

  test('the mode may stand behind a flag that nobody knows', () => {
    expect(parseArguments(['--plan', '--mode=rpc'])).toMatchObject({ mode: 'rpc', unknown: { plan: { value: true } } });
  });

  test('a message is refused a place, but does not stop the host', () => {
    const { messages, warnings } = parseArguments([...RPC, 'hello']);
    expect([messages, warnings]).toEqual([[], ['Messages come over the wire in RPC mode; ignored: hello']]);
  });

  test('@file is an error', () => {
    const { code, message } = faultOf(...RPC, '@x');
    // Not a slip on the command line but a refusal: programs of this family leave with 1, not 2.
    expect([code, message]).toEqual(['refused', '@file arguments are not supported in RPC mode']);
  });
});

describe('what is wrong', () => {
  test('an unknown flag names itself and what was meant', () => {
    const complaints = (...argv: string[]) =>
      Object.values(parseArguments(argv).unknown).map(({ complaint }) => complaint);
    expect(complaints('--modle', 'x')).toEqual(['Unknown flag: --modle (did you mean --model?)']);
    expect(complaints('--sesion-dir=x')).toEqual(['Unknown flag: --sesion-dir (did you mean --session-dir?)']);
    expect(complaints('--banana', '-x')).toEqual(['Unknown flag: --banana', 'Unknown flag: -x']);
  });

  test('a flag that turns out to be a switch gives back the word behind it, message or file', () => {
    const argv = ['a', '--plan', 'b', '--kind', 'k', '--plan', '@c', '--', '--plan'];
    expect(parseArguments(argv)).toMatchObject({ messages: ['a', '--plan'], files: [] });
    expect(wordsBeside(argv, new Set(['plan']))).toEqual({ messages: ['a', 'b', '--plan'], files: ['c'] });
  });

  test.each([
    [['--mode', 'tui'], 'Flag --mode takes text, json, rpc (got "tui")'],
    [['--thinking', 'max'], 'Flag --thinking takes off, minimal, low, medium, high, xhigh (got "max")'],
    [['--stream='], 'Flag --stream takes full, delta (got "")'],
    [['--on-eof', 'die'], 'Flag --on-eof takes finish, abort (got "die")'],
    [['--model'], 'Flag --model needs a value'],
    [['-n'], 'Flag --name needs a value'],
    [['--model', '--print'], 'Flag --model needs a value, but --print follows; write --model=--print if that is meant'],
    [['--model', '-p'], 'Flag --model needs a value, but -p follows; write --model=-p if that is meant'],
    [['--print=yes'], 'Flag --print takes no value (got "yes")'],
  ])('%j, in every mode', (argv, sentence) => {
    expect(faultOf(...argv).message).toBe(sentence);
    const inRpc = argv[0] === '--mode' ? argv : [...RPC, ...argv];
    expect(faultOf(...inRpc).message).toBe(sentence);
    expect(faultOf(...argv).code).toBe('config');
  });
});

describe('help', () => {
  test('offers what means something, and nothing else', () => {
    const help = helpText();
    for (const flag of FLAGS) {
      const listed = new RegExp(`^ .*--${flag.name}\\b(?!-)`, 'm').test(help);
      expect([flag.name, listed]).toEqual([flag.name, flag.group !== 'accepted']);
    }
    expect(help).toContain('--mode text|json|rpc');
    expect(help).toContain('-h, --help');
    expect(help).toContain('off, minimal, low, medium, high, xhigh');
  });

  test('no line is wider than a terminal of 100 columns', () => {
    expect(
      helpText()
        .split('\n')
        .filter((line) => line.length > 100),
    ).toEqual([]);
  });
});

test('no two flags share a spelling', () => {
  const spellings = FLAGS.flatMap((flag: Flag) => [
    `--${flag.name}`,
    `-${flag.short ?? flag.name}`,
    `-${flag.alias ?? `-${flag.name}!`}`,
  ]);
  expect(new Set(spellings).size).toBe(spellings.length);
});
