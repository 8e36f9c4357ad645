// Dialogs: answers, dismissal, timeouts, long messages, and keys pressed while a dialog opens.
import { describe, expect, test } from 'vitest';
import { DialogQueue } from '../../../src/terminal/dialogs/dialog-queue.ts';
import { SelectDialog } from '../../../src/terminal/dialogs/select-dialog.ts';
import { PlainScreen } from '../../../src/terminal/plain-screen.ts';
import type { Line } from '../../../src/terminal/text/line.ts';
import { createFakeClock } from '../../../src/testing/index.ts';

const key = (name: string) => ({ key: name });
const getText = (spans: Line) => spans.map(({ text }) => text).join('');

function createQueue() {
  const clock = createFakeClock();
  const notices: string[] = [];
  const omitted: string[] = [];
  const printed: string[] = [];
  const output = {
    notify: (message: string) => void notices.push(message),
    omitCall: (id: string) => void omitted.push(id),
    printBlock: (lines: readonly Line[]) => void printed.push(...lines.map(getText)),
  };
  const dialogs = new DialogQueue(clock, 400, output, { onChange() {}, checkChoice() {} });
  const press = (...names: readonly string[]) => names.map((name) => dialogs.handleKey(key(name)));
  const type = (text: string) => dialogs.handleKey({ text });
  const renderText = () => dialogs.render(60, 20)?.rows.map(getText) ?? [];
  return { clock, dialogs, press, type, renderText, notices, omitted, printed };
}

describe('answers', () => {
  test('a choice is selected by arrow keys, number or filter text', async () => {
    const { dialogs, press, type } = createQueue();
    const open = () =>
      dialogs.showRequest({ id: '1', method: 'select', title: 'Which?', options: ['red', 'green', 'blue'] });
    const first = open();
    press('down', 'enter');
    expect(await first).toEqual({ value: 'green' });
    const other = createQueue();
    const second = other.dialogs.showRequest({
      id: '2',
      method: 'select',
      title: 'Which?',
      options: ['red', 'green', 'blue'],
    });
    other.type('3');
    other.press('enter');
    expect(await second).toEqual({ value: 'blue' });
    const dialog = new SelectDialog(
      'Which?',
      ['red', 'green'].map((value) => ({ value, label: value })),
    );
    dialog.handleKey({ text: 'ree' });
    expect(dialog.handleKey(key('enter'))).toBe('green');
    expect(type('x')).toBe(false);
  });

  test('a confirmation defaults to No', async () => {
    const { dialogs, press } = createQueue();
    const answered = dialogs.showRequest({ id: '1', method: 'confirm', title: 'Sure?', message: 'rm' });
    press('enter');
    expect(await answered).toEqual({ confirmed: false });
  });

  test('an editor dialog has a prefill and accepts several lines', async () => {
    const { dialogs, press, type } = createQueue();
    const answered = dialogs.showRequest({ id: '1', method: 'editor', title: 'Edit', prefill: 'one' });
    press('alt+enter');
    type('two');
    press('enter');
    expect(await answered).toEqual({ value: 'one\ntwo' });
  });

  test('Escape and Ctrl+C dismiss a dialog and show the next one', async () => {
    const { dialogs, press, renderText } = createQueue();
    const first = dialogs.showRequest({ id: '1', method: 'input', title: 'First' });
    const second = dialogs.showRequest({ id: '2', method: 'input', title: 'Second' });
    expect(renderText().join('\n')).toContain('1 more');
    press('escape');
    expect(await first).toBeUndefined();
    expect(renderText()).toContain('Second');
    press('ctrl+c');
    expect(await second).toBeUndefined();
    expect(dialogs.current).toBeUndefined();
  });

  test('a cancelled dialog is closed at any position of the queue', async () => {
    const { dialogs, renderText } = createQueue();
    const first = dialogs.showRequest({ id: '1', method: 'input', title: 'First' });
    const second = dialogs.showRequest({ id: '2', method: 'confirm', title: 'Second', message: 'x' });
    dialogs.cancel('3');
    dialogs.cancel('2');
    expect(await second).toBe('leave-open');
    expect(renderText()).toContain('First');
    dialogs.cancel('1');
    expect(await first).toBe('leave-open');
    expect(dialogs.current).toBeUndefined();
  });

  test('a dialog times out and shows the time left', async () => {
    const { dialogs, clock, renderText } = createQueue();
    const answered = dialogs.showRequest({ id: '1', method: 'confirm', title: 'Sure?', message: 'x', timeout: 5000 });
    expect(renderText().at(-1)).toContain('5 s left');
    await clock.advance(5001);
    expect(await answered).toBeUndefined();
  });
});

describe('a message that is longer than the screen', () => {
  const lines = Array.from({ length: 100 }, (_, at) => `line ${at + 1}`);

  test('must be scrolled to its end before a choice is accepted', async () => {
    const { dialogs, press, renderText } = createQueue();
    let answer: unknown;
    const request = { id: '1', method: 'select' as const, title: 'Allow bash?', message: lines.join('\n') };
    const answered = dialogs.showRequest({ ...request, options: ['allow', 'deny'] }).then((value) => {
      answer = value;
    });
    const shown = new Set<string>();
    let presses = 0;
    for (; !shown.has('line 100') && presses < 50; presses++) {
      for (const row of renderText()) shown.add(row.trim());
      expect(renderText().length).toBeLessThanOrEqual(20);
      if (!shown.has('line 100')) expect(renderText().at(-1)).toContain('Enter or PageDown for more');
      if (!shown.has('line 100')) press('enter');
    }
    expect(answer).toBe(undefined);
    expect(lines.filter((text) => !shown.has(text))).toEqual([]);
    expect(renderText().at(-1)).toContain('Enter to confirm');
    press('enter');
    await answered;
    expect(answer).toEqual({ value: 'allow' });
  });

  test('can be scrolled back', () => {
    const { dialogs, press, renderText } = createQueue();
    void dialogs.showRequest({ id: '1', method: 'confirm', title: 'Sure?', message: lines.join('\n') });
    expect(renderText()).toContain('line 1');
    press('pagedown');
    expect(renderText()).not.toContain('line 1');
    press('pageup');
    expect(renderText()).toContain('line 1');
    dialogs.dismissAll();
  });

  test('shows the visible line range; a long title scrolls with the message', () => {
    const { dialogs, renderText } = createQueue();
    void dialogs.showRequest({ id: '1', method: 'confirm', title: 'word '.repeat(300), message: 'rm' });
    expect(renderText().join('\n')).toMatch(/lines 1 to \d+ of \d+/);
    expect(renderText().length).toBeLessThanOrEqual(20);
    dialogs.dismissAll();
  });

  test('the selected choice is shown in full', () => {
    const { dialogs, renderText } = createQueue();
    const long = `${'word '.repeat(30)}end`;
    void dialogs.showRequest({ id: '1', method: 'select', title: 'Which?', options: [long, 'b'] });
    expect(renderText().join(' ')).toContain('end');
    dialogs.dismissAll();
  });

  test('is printed in full on a terminal without cursor control', () => {
    const written: string[] = [];
    const tty = { columns: 80, rows: 10, write: (text: string) => written.push(text) } as never;
    const { dialogs } = createQueue();
    void dialogs.showRequest({ id: '1', method: 'confirm', title: 'Sure?', message: lines.join('\n') });
    const screen = new PlainScreen(tty);
    const view = dialogs.render(screen.columns, Math.max(6, screen.rows - 4));
    screen.draw({ lines: [], dialog: { key: 1, lines: view?.rows ?? [] }, isIdle: false });
    expect(written.join('')).toContain('line 100');
    dialogs.dismissAll();
  });
});

describe('keys pressed while a dialog opens', () => {
  test('do not answer it: Enter is ignored until keys are idle, letters go to the draft', async () => {
    const { dialogs, clock, press, type, renderText } = createQueue();
    type('hello');
    const answered = dialogs.showRequest({ id: '1', method: 'select', title: 'Allow?', options: ['allow', 'deny'] });
    expect(renderText().at(-1)).toContain('paused while you type');
    expect(type(' world')).toBe(false);
    expect(press('enter')).toEqual([true]);
    await clock.advance(401);
    expect(renderText().at(-1)).toContain('Enter to confirm');
    press('down', 'enter');
    expect(await answered).toEqual({ value: 'deny' });
  });
});

describe('approval of a tool call', () => {
  const request = (toolName: string, args: Record<string, unknown>, diff?: string) => ({
    ...{ id: '1', method: 'select' as const, title: `Allow ${toolName}?`, message: '…' },
    options: ['allow', 'deny', 'allow_session'],
    toolCall: { toolCallId: 'c1', toolName, args, cwd: '/project', ...(diff === undefined ? {} : { diff }) },
  });
  const bash = request('bash', { command: 'npm test', timeout: 60 });
  const withRules = (rules: string[], sessionScope = rules.join(', ')) => ({
    ...bash,
    options: [...bash.options, 'allow_always'],
    toolCall: { ...bash.toolCall, rules, sessionScope },
  });

  test.each([
    ['y', 'allow', []],
    ['Y', 'allow', []],
    ['yes', 'allow', []],
    ['1', 'allow', []],
    ['n', 'deny', ['Denied: bash npm test (timeout 60s)']],
    ['2', 'deny', ['Denied: bash npm test (timeout 60s)']],
    ['a', 'allow_session', ['Allowed in this session: bash']],
    ['3', 'allow_session', ['Allowed in this session: bash']],
  ])('the text %s answers %s', async (text, value, expected) => {
    const { dialogs, type, renderText, notices, omitted } = createQueue();
    const answered = dialogs.showRequest(bash);
    renderText();
    type(text);
    expect(await answered).toEqual({ value });
    expect(notices).toEqual(expected);
    expect(omitted).toEqual(value === 'deny' ? ['c1'] : []);
  });

  test('arrow keys and Enter answer; other letters and pasted text do not', async () => {
    const { dialogs, press, type, renderText } = createQueue();
    const answered = dialogs.showRequest(bash);
    renderText();
    type('x');
    dialogs.handleKey({ pasted: 'y' });
    press('down', 'enter');
    expect(await answered).toEqual({ value: 'deny' });
  });

  test.each(['escape', 'ctrl+c'])('%s denies the call and reports it', async (name) => {
    const { dialogs, press, notices } = createQueue();
    const answered = dialogs.showRequest(bash);
    press(name);
    expect(await answered).toEqual({ value: 'deny' });
    expect(notices).toEqual(['Denied: bash npm test (timeout 60s)']);
  });

  test('a command is shown whole, with its directory and its other arguments', () => {
    const { dialogs, renderText } = createQueue();
    void dialogs.showRequest(request('bash', { command: 'for i in 1 2\ndo\techo $i\u202e\ndone\n', timeout: 60 }));
    expect(renderText().slice(1, -1)).toEqual([
      'Allow bash?',
      '$ for i in 1 2',
      '  do    echo $i\\u202e',
      '  done',
      'in /project',
      'timeout: 60',
      '› 1. Yes',
      '  2. No',
      '  3. Yes, in this session: bash',
      '  4. No, with a message to the model',
    ]);
    expect(renderText().at(-1)).toBe('↑↓ and Enter, or y/n/a/m, to answer; Esc to deny');
  });

  test('p saves the rules that the choice names', async () => {
    const { dialogs, type, renderText, notices } = createQueue();
    const answered = dialogs.showRequest(withRules(['bash(npm test)']));
    expect(renderText().slice(-6)).toEqual([
      '› 1. Yes',
      '  2. No',
      '  3. Yes, in this session: bash(npm test)',
      '  4. Yes, always: bash(npm test) (saved in your settings)',
      '  5. No, with a message to the model',
      '↑↓ and Enter, or y/n/a/p/m, to answer; Esc to deny',
    ]);
    type('p');
    expect(await answered).toEqual({ value: 'allow_always' });
    expect(notices).toEqual(['Always allowed: bash(npm test)']);
  });

  test('p does nothing when it is not offered', async () => {
    const { dialogs, type, press, renderText } = createQueue();
    const answered = dialogs.showRequest(bash);
    renderText();
    type('p');
    press('escape');
    expect(await answered).toEqual({ value: 'deny' });
  });

  test('rules that do not fit their choice are shown above the choices, all of them', () => {
    const { dialogs, renderText } = createQueue();
    const rules = [`bash(npm run ${'a'.repeat(60)})`, 'bash(echo \u202e\u202e)'];
    void dialogs.showRequest(withRules(rules, 'bash of \u200bthis session'));
    const text = renderText().join('');
    expect(text).toContain('in this session: bash of \\u200bthis session');
    expect(text).toContain(`always: bash(npm run ${'a'.repeat(60)})`);
    expect(text).toContain('always: bash(echo \\u202e\\u202e)');
  });

  test('the reason of the question is shown', () => {
    const { dialogs, renderText } = createQueue();
    void dialogs.showRequest({
      ...bash,
      toolCall: { ...bash.toolCall, reason: 'This call runs outside the sandbox.' },
    });
    expect(renderText()).toContain('This call runs outside the sandbox.');
  });

  test('m denies with a message; Escape goes back to the choices and keeps the text', async () => {
    const { dialogs, type, press, renderText, notices, omitted } = createQueue();
    const answered = dialogs.showRequest(bash);
    renderText();
    type('m');
    expect(renderText().slice(1)).toEqual([
      'Why not? The model gets this message.',
      '› ',
      'Enter to answer, Esc to go back',
    ]);
    type('use ');
    press('escape');
    expect(renderText()).toContain('› 1. Yes');
    type('m');
    type('pnpm');
    press('enter');
    expect(await answered).toEqual({ value: 'deny', message: 'use pnpm' });
    expect(notices).toEqual(['Denied: bash npm test (timeout 60s). Message to the model: use pnpm']);
    expect(omitted).toEqual(['c1']);
  });

  test('a y in the message does not allow the call, and Ctrl+C denies it without the message', async () => {
    const { dialogs, type, press, renderText } = createQueue();
    const answered = dialogs.showRequest(bash);
    renderText();
    type('m');
    type('y');
    press('ctrl+c');
    expect(await answered).toEqual({ value: 'deny' });
  });

  test('an empty message denies', async () => {
    const { dialogs, type, press, renderText } = createQueue();
    const answered = dialogs.showRequest(bash);
    renderText();
    type('m');
    press('enter');
    expect(await answered).toEqual({ value: 'deny' });
  });

  test('a timeout is reported to the agent; a withdrawn question is closed without a notice', async () => {
    const { dialogs, clock, notices } = createQueue();
    const late = dialogs.showRequest({ ...bash, timeout: 1000 });
    await clock.advance(1001);
    expect(await late).toEqual({ cancelled: true, timedOut: true });
    const withdrawn = dialogs.showRequest(bash);
    dialogs.cancel('1');
    expect(await withdrawn).toBe('leave-open');
    expect(dialogs.current).toBe(undefined);
    expect(notices).toEqual([]);
  });

  test('a change is shown as a diff, with arguments that the diff does not contain', () => {
    const { dialogs, renderText } = createQueue();
    const args = { path: 'a.ts', edits: [{ oldText: 'a', newText: 'b' }], note: 'x' };
    void dialogs.showRequest(request('edit', args, ' 1 same\n-2 a\n+2 b'));
    expect(renderText().slice(2, 7)).toEqual(['a.ts +1 −1', ' 1 same', '-2 a', '+2 b', 'note: x']);
  });

  test('other arguments are shown one by one', () => {
    const { dialogs, renderText } = createQueue();
    void dialogs.showRequest(request('deploy', { target: 'prod', text: 'one\ntwo', options: { a: 1 } }));
    expect(renderText().slice(2, 9)).toEqual([
      'target: prod',
      'text: ',
      '  one',
      '  two',
      'options: ',
      '  {',
      '    "a": 1',
    ]);
  });

  const long = request('bash', { command: Array.from({ length: 60 }, (_, at) => `echo ${at + 1}`).join('\n') });

  test('y scrolls until the whole call was shown; n denies at once', async () => {
    const { dialogs, type, renderText } = createQueue();
    const shown = new Set<string>();
    const answered = dialogs.showRequest(long);
    for (let count = 0; !shown.has('echo 60') && count < 20; count++) {
      for (const row of renderText()) shown.add(row.replace('$', '').trim());
      expect(renderText().length).toBeLessThanOrEqual(20);
      if (!shown.has('echo 60')) type('y');
    }
    expect([...shown].filter((row) => row.startsWith('echo '))).toHaveLength(60);
    for (let count = 0; count < 3; count++) {
      renderText();
      type('y');
    }
    expect(await answered).toEqual({ value: 'allow' });
    const other = createQueue();
    const denied = other.dialogs.showRequest(long);
    other.renderText();
    other.type('n');
    expect(await denied).toEqual({ value: 'deny' });
  });

  test('Ctrl+O prints the whole call into the transcript; then y allows it', async () => {
    const { dialogs, press, type, renderText, printed } = createQueue();
    const answered = dialogs.showRequest(long);
    expect(renderText().at(-1)).toContain('Ctrl+O for all');
    press('ctrl+o');
    expect(printed.map((row) => row.replace('$', '').trim()).slice(0, 60)).toEqual(
      Array.from({ length: 60 }, (_, at) => `echo ${at + 1}`),
    );
    renderText();
    type('y');
    expect(await answered).toEqual({ value: 'allow' });
  });
});

describe('notices of dialogs', () => {
  test('y and n answer a confirmation', async () => {
    for (const [text, confirmed] of [
      ['y', true],
      ['n', false],
    ] as const) {
      const { dialogs, type, renderText, notices } = createQueue();
      const answered = dialogs.showRequest({ id: '1', method: 'confirm', title: 'Sure?', message: 'rm' });
      renderText();
      type(text);
      expect(await answered).toEqual({ confirmed });
      expect(notices).toEqual([]);
    }
  });

  test('a dismissed dialog and a timeout are reported; a withdrawn one is not', async () => {
    const { dialogs, clock, press, notices } = createQueue();
    const first = dialogs.showRequest({ id: '1', method: 'input', title: 'Name?' });
    press('escape');
    await first;
    const second = dialogs.showRequest({ id: '2', method: 'confirm', title: 'Sure?', message: 'x', timeout: 5000 });
    await clock.advance(5001);
    await second;
    const third = dialogs.showRequest({ id: '3', method: 'input', title: 'Other?' });
    dialogs.cancel('3');
    await third;
    expect(notices).toEqual(['Cancelled: Name?', 'Not answered in time: Sure?']);
  });
});
