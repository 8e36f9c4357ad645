// Approval: rules decide before the host, the host sees the complete call, and an answer applies only to what it says.
import { expect, test } from 'vitest';
import { createApprovalHook } from '../../../src/app/approval/approval-hook.ts';
import type { FileInfo, HostUi, NoAnswerReason, PlannedToolCall, UiQuestion } from '../../../src/contracts/index.ts';
import type { ApprovalPolicy, UiAnswer } from '../../../src/protocol/index.ts';

function plannedCall(toolName: string, input: Record<string, unknown>): PlannedToolCall {
  return {
    toolCallId: '1',
    toolName,
    effect: toolName === 'bash' || toolName === 'deploy' ? 'execute' : 'write',
    input,
    cwd: '/project',
    signal: new AbortController().signal,
    listSubjects: ({ command, path }) => [
      ...(typeof command === 'string' ? [{ kind: 'command' as const, command }] : []),
      ...(typeof path === 'string' ? [{ kind: 'path' as const, path }] : []),
    ],
    isEscalated: ({ escalate }) => escalate === true,
    previewDiff: async () => undefined,
  };
}

const bash = (command: string, more: object = {}) => plannedCall('bash', { command, ...more });

/** All programs are in /usr/bin, and there are no links. */
const context = {
  home: '/home/user',
  shell: '/bin/bash',
  env: { PATH: '/usr/bin' },
  writableRoots: [],
  files: {
    realPath: async (path: string) => path,
    info: async (path: string) =>
      path.startsWith('/usr/bin/') ? ({ kind: 'file', mode: 0o755 } as FileInfo) : undefined,
  },
};

interface HookSetup {
  readonly approvalTimeout?: number;
  readonly policy?: ApprovalPolicy;
  readonly rules?: { allow?: string[]; ask?: string[]; deny?: string[] };
  readonly saveRules?: ((rules: readonly string[]) => Promise<void>) | undefined;
  readonly host?: HostUi | undefined;
}

function createHook({ approvalTimeout = 30_000, policy = 'on-write', rules = {}, ...setup }: HookSetup) {
  const scope = (texts: string[] = []) => texts.map((text) => ({ text, scope: 'user' as const }));
  const saved: string[] = [];
  const reported: string[] = [];
  const save = async (texts: readonly string[]) => void saved.push(...texts);
  const approve = createApprovalHook({
    settings: { approvalTimeout },
    approval: { policy },
    cwd: '/project',
    host: () => setup.host,
    rules: () => ({ allow: scope(rules.allow), ask: scope(rules.ask), deny: scope(rules.deny) }),
    context: async () => context,
    onUnanswerable: (reason) => void reported.push(reason),
    ...('saveRules' in setup ? (setup.saveRules ? { saveRules: setup.saveRules } : {}) : { saveRules: save }),
  });
  return { approve, saved, reported };
}

type ApprovalQuestion = Extract<UiQuestion, { method: 'select' }>;

/** Creates a hook with a host that gives the same answer to every question. */
function createHookWithAnswer(answer: string | UiAnswer, setup: HookSetup = {}) {
  const questions: ApprovalQuestion[] = [];
  const timeouts: (number | undefined)[] = [];
  const shown: unknown[] = [];
  const host = {
    async ask(question: ApprovalQuestion, options: { timeout?: number }) {
      questions.push(question);
      timeouts.push(options.timeout);
      return typeof answer === 'string' ? { value: answer } : answer;
    },
    show: (display: unknown) => void shown.push(display),
  } as unknown as HostUi;
  return { questions, timeouts, shown, ...createHook({ host, ...setup }) };
}

test('the message contains all arguments', async () => {
  const { questions, approve } = createHookWithAnswer('allow');
  const command = `echo ${'A'.repeat(50_000)}; touch HIDDEN`;
  expect(await approve(plannedCall('bash', { command }))).toBe(undefined);
  // The rules would be too long to read, so they are not offered.
  expect(questions[0]?.message).toBe(`bash ${JSON.stringify({ command })}`);
  expect(questions[0]?.options).toEqual(['allow', 'deny', 'allow_session']);
});

test('a call with arguments that are too long to show is denied without asking', async () => {
  const { questions, approve } = createHookWithAnswer('allow');
  const result = await approve(plannedCall('write', { path: 'a', content: 'A'.repeat(100_000) }));
  expect(result).toEqual({
    block: true,
    reason:
      'write was not run: its arguments are too long to be shown for approval (100031 characters, at most 100000). Use several smaller calls.',
  });
  expect(questions).toEqual([]);
});

test('invisible characters are escaped', async () => {
  const { questions, approve } = createHookWithAnswer('allow');
  await approve(plannedCall('bash', { command: 'a\u202eb\u200bc\u0085d\u2028e\u{e0041}f\u00adg\u001bh\u3164i' }));
  expect(questions[0]?.message).toBe(
    'bash {"command":"a\\u202eb\\u200bc\\u0085d\\u2028e\\udb40\\udc41f\\u00adg\\u001bh\\u3164i"}',
  );
});

test('letters of all languages are not escaped', async () => {
  const { questions, approve } = createHookWithAnswer('allow');
  await approve(plannedCall('bash', { command: 'echo äöü 漢字 עברית 🎉' }));
  expect(questions[0]?.message).toBe(
    'bash {"command":"echo äöü 漢字 עברית 🎉"}\nallow_always adds to your settings: bash(echo äöü 漢字 עברית 🎉)',
  );
});

test('allow_session of a command allows this command, not others and not in combination with others', async () => {
  const { questions, approve, saved } = createHookWithAnswer('allow_session');
  for (const command of ['npm test', 'npm test', '"npm" test', 'npm test && npm test']) await approve(bash(command));
  expect(questions).toHaveLength(1);
  expect(questions[0]?.toolCall?.sessionScope).toBe('bash(npm test)');
  await approve(bash('npm publish'));
  await approve(bash('npm test && npm run build'));
  await approve(bash('./npm test'));
  expect(questions).toHaveLength(4);
  await approve(plannedCall('write', { path: 'a' }));
  expect(questions).toHaveLength(5);
  expect(saved).toEqual([]);
});

test('allow_session of a file tool allows this tool in the working directory', async () => {
  const { questions, approve } = createHookWithAnswer('allow_session');
  for (const path of ['a', 'src/b', '/project/c']) await approve(plannedCall('write', { path }));
  expect(questions).toHaveLength(1);
  expect(questions[0]?.toolCall?.sessionScope).toBe('write of any file in the working directory');
  await approve(plannedCall('edit', { path: 'a' }));
  await approve(bash('echo x > a'));
  expect(questions).toHaveLength(3);
  await approve(plannedCall('write', { path: '../d' }));
  expect(questions[3]?.toolCall?.sessionScope).not.toContain('any file');
  await approve(plannedCall('write', { path: '../d' }));
  expect(questions).toHaveLength(4);
  await approve(plannedCall('write', { path: '../e' }));
  expect(questions).toHaveLength(5);
});

test('allow_session of another tool allows all of its calls', async () => {
  const { questions, approve } = createHookWithAnswer('allow_session');
  await approve(plannedCall('deploy', { target: 'a' }));
  await approve(plannedCall('deploy', { target: 'b' }));
  expect(questions).toHaveLength(1);
});

test('allow_session of a command that no rule can express allows exactly the same call', async () => {
  const { questions, approve } = createHookWithAnswer('allow_session');
  await approve(bash('npm run "$TASK"'));
  await approve(bash('npm run "$TASK"'));
  expect(questions).toHaveLength(1);
  expect(questions[0]).toMatchObject({
    options: ['allow', 'deny', 'allow_session'],
    toolCall: { sessionScope: 'exactly this bash call' },
  });
  await approve(bash('npm run "$TASK" '));
  expect(questions).toHaveLength(2);
});

test('allow_always saves the rules that the question shows, and they apply at once', async () => {
  const { questions, approve, saved } = createHookWithAnswer('allow_always');
  await approve(bash('npm test && npm run build'));
  expect(questions[0]?.toolCall?.rules).toEqual(['bash(npm test)', 'bash(npm run build)']);
  expect(questions[0]?.message).toContain('allow_always adds to your settings: bash(npm test), bash(npm run build)');
  expect(saved).toEqual(['bash(npm test)', 'bash(npm run build)']);
  await approve(bash('npm run build'));
  expect(questions).toHaveLength(1);
});

test('when the rules cannot be saved, the call runs and the user learns why', async () => {
  const saveRules = async () => {
    throw new Error('the disk is full');
  };
  const { approve, shown } = createHookWithAnswer('allow_always', { saveRules });
  expect(await approve(bash('npm test'))).toBe(undefined);
  expect(shown).toEqual([
    {
      method: 'notify',
      notifyType: 'warning',
      message: 'bash(npm test) is allowed in this session only. It was not saved in your settings: the disk is full',
    },
  ]);
});

test.each(['allow_always', 'allow_session'])('%s denies when it was not offered', async (answer) => {
  const { approve, questions } = createHookWithAnswer(answer, { saveRules: undefined });
  const result = await approve(bash('npm test', { escalate: true }));
  expect(questions[0]?.options).toEqual(['allow', 'deny']);
  expect(result).toEqual({
    block: true,
    reason: `bash was not run: the host answered "${answer}", which was not offered and counts as no.`,
  });
});

test('a call outside the sandbox is always asked about, whatever rules and answers allow', async () => {
  const { approve, questions } = createHookWithAnswer('allow', { policy: 'never', rules: { allow: ['bash'] } });
  await approve(bash('npm test', { escalate: true }));
  await approve(bash('npm test', { escalate: true }));
  expect(questions).toHaveLength(2);
  expect(questions[0]).toMatchObject({
    title: 'Allow bash outside the sandbox?',
    message: expect.stringContaining('This call runs outside the sandbox.'),
    options: ['allow', 'deny'],
  });
});

test('a rule denies without a question, and the model learns which', async () => {
  const { approve, questions } = createHookWithAnswer('allow', { policy: 'never', rules: { deny: ['bash(rm *)'] } });
  expect(await approve(bash('npm test && rm -rf x'))).toEqual({
    block: true,
    reason: `bash was not run: the rule bash(rm *) in the user's settings denies "rm -rf x".`,
  });
  expect(await approve(bash('npm test'))).toBe(undefined);
  expect(questions).toEqual([]);
});

test('a rule asks although the mode does not, and an allowed part of a command is not enough', async () => {
  const { approve, questions } = createHookWithAnswer('allow', {
    policy: 'never',
    rules: { ask: ['bash(git push *)'] },
  });
  await approve(bash('npm test'));
  expect(questions).toEqual([]);
  await approve(bash('npm test && git push origin'));
  expect(questions[0]?.toolCall?.reason).toContain('git push');
  const other = createHookWithAnswer('allow', { rules: { allow: ['bash(npm *)'] } });
  await other.approve(bash('npm test'));
  expect(other.questions).toEqual([]);
  await other.approve(bash('npm test; git push'));
  expect(other.questions).toHaveLength(1);
});

test('what a rule asks about is never offered as a rule to save', async () => {
  const { approve, questions } = createHookWithAnswer('allow', { rules: { ask: ['bash(git push *)'] } });
  await approve(bash('git push origin'));
  expect(questions[0]?.options).not.toContain('allow_always');
});

test('an invalid rule blocks every call', async () => {
  const { approve } = createHookWithAnswer('allow', { rules: { deny: ['bash(rm'] } });
  await expect(approve(bash('npm test'))).rejects.toThrow('bash(rm');
});

test('a denial has the message of the user, up to a limit', async () => {
  const deny = (message: string) => createHookWithAnswer({ value: 'deny', message }).approve(bash('npm test'));
  expect(await deny(' Use pnpm.\n')).toEqual({ block: true, reason: 'The user does not allow bash here: Use pnpm.' });
  expect(await deny(' ')).toEqual({ block: true, reason: 'The user does not allow bash here. Nothing was run.' });
  const long = await deny('x'.repeat(20_000));
  expect(long).toEqual({
    block: true,
    reason: `The user does not allow bash here: ${'x'.repeat(10_000)} [cut after 10000 characters]`,
  });
});

test.each<[NoAnswerReason, string]>([
  ['timeout', 'it needs an approval. The host did not answer within 30 s, which counts as no.'],
  ['dismissed', 'it needs an approval. The question was dismissed, which counts as no.'],
  ['closed', 'it needs an approval. The host disconnected without an answer, which counts as no.'],
  ['aborted', 'the run was aborted before its approval.'],
  [
    'unsupported',
    `it needs an approval, and no host can answer. Allow it with a rule ("parley permissions add allow 'bash(npm test)'") or another --approval-mode.`,
  ],
])('without an answer because of %s, the reason says so', async (cause, reason) => {
  const host = {
    async ask(_: unknown, { onNoAnswer }: { onNoAnswer(reason: NoAnswerReason): void }) {
      onNoAnswer(cause);
    },
  } as unknown as HostUi;
  const { approve } = createHook({ host });
  expect(await approve(bash('npm test'))).toEqual({ block: true, reason: `bash was not run: ${reason}` });
});

test('without a host the reason names the rule that would allow the call, quoted for a shell', async () => {
  const { approve } = createHook({});
  expect(await approve(bash(`echo "it's"`))).toEqual({
    block: true,
    reason: expect.stringContaining(`parley permissions add allow 'bash(echo`),
  });
  expect(await approve(bash('echo $(cat x) $Y'))).toEqual({
    block: true,
    reason: 'bash was not run: it needs an approval, and no host can answer. Allow it with another --approval-mode.',
  });
});

test('without a host each refused call is reported once, and a rule that cannot be read is not proposed', async () => {
  const { approve, reported } = createHook({ rules: { deny: ['bash(git push)'] } });
  for (const command of ['npm test', 'npm test', 'git push', `echo ${'x'.repeat(120_000)}`, "echo 'a\nb'"])
    await approve(bash(command));
  const refusal = 'bash was not run: it needs an approval, and no host can answer. Allow it with';
  expect(reported).toEqual([
    `${refusal} a rule ("parley permissions add allow 'bash(npm test)'") or another --approval-mode.`,
    `${refusal} another --approval-mode.`,
  ]);
});

test('a call that a host refuses is not reported', async () => {
  const { approve, reported } = createHookWithAnswer('deny');
  await approve(bash('npm test'));
  expect(reported).toEqual([]);
});

test('deny_session denies only this tool for the rest of the session, without asking', async () => {
  const { questions, approve } = createHookWithAnswer('deny_session');
  const denied = { block: true, reason: 'The user does not allow bash in this session. Nothing was run.' };
  expect(await approve(plannedCall('bash', { command: 'a' }))).toEqual(denied);
  expect(await approve(plannedCall('bash', { command: 'b' }))).toEqual(denied);
  await approve(plannedCall('write', { path: 'a' }));
  expect(questions.map(({ title }) => title)).toEqual(['Allow bash?', 'Allow write?']);
  expect(questions[0]?.options).not.toContain('deny_session');
});

test('allow applies to one call', async () => {
  const { questions, approve } = createHookWithAnswer('allow');
  await approve(plannedCall('bash', { command: 'a' }));
  await approve(plannedCall('bash', { command: 'b' }));
  expect(questions).toHaveLength(2);
});

test('any other answer denies the call', async () => {
  for (const answer of ['deny', 'yes', '']) {
    expect(await createHookWithAnswer(answer).approve(plannedCall('bash', { command: 'a' }))).toMatchObject({
      block: true,
    });
  }
});

test('the request contains the call that is run, its directory and the diff', async () => {
  const { questions, approve } = createHookWithAnswer('allow');
  const previewDiff = async ({ path }: Readonly<Record<string, unknown>>) => `+1 ${path}`;
  await approve({ ...plannedCall('write', { path: 'a.txt', content: 'a.txt' }), previewDiff });
  expect(questions[0]?.toolCall).toEqual({
    toolCallId: '1',
    toolName: 'write',
    args: { path: 'a.txt', content: 'a.txt' },
    cwd: '/project',
    diff: '+1 a.txt',
    rules: ['write(./a.txt)'],
    sessionScope: 'write of any file in the working directory',
  });
});

test('a diff that is too long is omitted; the arguments are still there', async () => {
  const { questions, approve } = createHookWithAnswer('allow');
  await approve({ ...plannedCall('write', { path: 'a' }), previewDiff: async () => '+'.repeat(200_001) });
  expect(questions[0]?.toolCall).toMatchObject({ args: { path: 'a' } });
  expect(questions[0]?.toolCall).not.toHaveProperty('diff');
});

test.each([
  [30_000, 30_000],
  [5, 5],
  [0, undefined],
])('approvalTimeout %s', async (approvalTimeout, expected) => {
  const { questions, timeouts, approve } = createHookWithAnswer('allow', { approvalTimeout });
  await approve(plannedCall('bash', { command: 'a' }));
  expect(timeouts).toEqual([expected]);
  expect(questions[0]?.timeout).toBe(expected);
});

test('with the policy read-only, what writes is denied without asking, and what reads runs', async () => {
  const { questions, approve } = createHookWithAnswer('allow', { policy: 'read-only' });
  const refusal = {
    block: true,
    reason:
      'bash was not run: the session is read-only. Only tools that read, and commands that are known to change nothing, are allowed.',
  };
  expect(await approve(plannedCall('bash', { command: 'ls' }))).toBe(undefined);
  expect(await approve(plannedCall('bash', { command: 'ls; touch a' }))).toEqual(refusal);
  expect(await approve(plannedCall('bash', { command: 'ls', escalate: true }))).toEqual(refusal);
  expect(await approve(plannedCall('write', { path: 'a' }))).toEqual({
    block: true,
    reason: 'write was not run: the session is read-only. Only tools that read are allowed.',
  });
  expect(await approve({ ...plannedCall('read', { path: 'a' }), effect: 'read' })).toBe(undefined);
  expect(questions).toEqual([]);
});

test('with the policy read-only, a rule that asks denies a command without a question, and asks about a file that is read', async () => {
  const setup: HookSetup = { policy: 'read-only', rules: { ask: ['bash(cat)', 'read(*.pem)'] } };
  const { questions, approve } = createHookWithAnswer('allow', setup);
  expect(await approve(bash('cat a'))).toEqual({
    block: true,
    reason:
      'bash was not run: the rule bash(cat) (user) asks about it, and the mode read-only denies what would need an answer.',
  });
  expect(questions).toEqual([]);
  const read = { ...plannedCall('read', { path: 'key.pem' }), effect: 'read' as const };
  expect(await approve(read)).toBe(undefined);
  expect(questions).toHaveLength(1);
});
