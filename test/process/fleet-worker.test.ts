// Submits prompts, and lets workers run them in copies of a repository.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import { CHAT_MODEL_FLAGS } from '../support/chat-provider.ts';
import { createFleet, type Fleet } from '../support/fleet.ts';
import { type Program, runProgram, startProgram } from '../support/program.ts';
import { stopServer } from '../support/server.ts';
import { waitUntil } from '../support/wait-until.ts';

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', ['-C', cwd, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { encoding: 'utf8' }).trim();

/** A repository with one commit, which is the working directory of the programs that submit. */
function createRepository(fleet: Fleet): string {
  const repository = join(fleet.cwd, 'repository');
  mkdirSync(repository);
  git(repository, 'init', '-q', '-b', 'main');
  writeFileSync(join(repository, 'file.txt'), 'first\n');
  git(repository, 'add', '.');
  git(repository, 'commit', '-q', '-m', 'first');
  return repository;
}

async function startWorker(fleet: Fleet, args: readonly string[] = [], env: Record<string, string> = {}) {
  const directories = { ...fleet.provider.createDirectories(), cwd: fleet.cwd };
  const all = ['--queue', 'default', '--set', 'database.takeoverSeconds=2', '--json', ...CHAT_MODEL_FLAGS, ...args];
  const options = { directories, env: { PARLEY_DATABASE_URL: fleet.database.url, ...env } };
  const program = startProgram(['worker', ...all], options);
  await program.nextFrame({ type: 'unreadable' });
  return program;
}

function run(fleet: Fleet, cwd: string, args: readonly string[]) {
  const directories = { ...fleet.provider.createDirectories(), cwd };
  return runProgram(args, '', { directories, env: { PARLEY_DATABASE_URL: fleet.database.url } });
}

async function submit(fleet: Fleet, cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await run(fleet, cwd, ['submit', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trim();
}

interface Details {
  readonly submission: { readonly state: string; readonly worker?: string; readonly error?: string };
  readonly result?: { readonly status: string; readonly text: string; readonly hasPatch: boolean };
}

async function readDetails(fleet: Fleet, cwd: string, id: string): Promise<Details> {
  const { stdout, stderr } = await run(fleet, cwd, ['submissions', 'status', id, '--json']);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Details;
}

const callBash = (command: string) => ({ calls: [{ name: 'bash', arguments: { command } }] });

const isListed = (directory: string) => existsSync(directory) && readdirSync(directory).length > 0;

test('a worker runs a prompt in a clone at the commit, verifies it, and returns the change', async () => {
  const fleet = await createFleet();
  const repository = createRepository(fleet);
  const commit = git(repository, 'rev-parse', 'HEAD');
  writeFileSync(join(repository, 'file.txt'), 'second\n');
  git(repository, 'commit', '-q', '-a', '-m', 'second');
  const worker = await startWorker(fleet);
  fleet.provider.add(callBash('pwd > where.txt; cat file.txt > copy.txt; printf "\\377\\n" > bytes.txt'), {
    text: 'made',
  });
  const args = ['submit', '--wait', '--commit', commit, '--verify', 'test -f copy.txt', '--id', 'made-1', 'go'];
  expect(await run(fleet, repository, args)).toMatchObject({ code: 0, stdout: 'made\n' });
  expect(git(repository, 'status', '--porcelain')).toBe('');
  const details = await readDetails(fleet, repository, 'made-1');
  expect(details).toMatchObject({
    submission: {
      state: 'succeeded',
      worker: `process ${worker.pid} on ${hostname()}`,
    },
    result: { status: 'succeeded', text: 'made', hasPatch: true, commit, verification: { status: 'passed' } },
  });
  expect(await run(fleet, repository, ['submissions', 'patch', 'made-1', 'change.patch'])).toMatchObject({ code: 0 });
  git(repository, 'checkout', '-q', commit);
  git(repository, 'apply', 'change.patch');
  expect(readFileSync(join(repository, 'copy.txt'), 'utf8')).toBe('first\n');
  expect(readFileSync(join(repository, 'bytes.txt'), 'latin1')).toBe('\xff\n');
  const where = readFileSync(join(repository, 'where.txt'), 'utf8').trim();
  expect(where).toContain(join(worker.home, 'workspaces'));
  await waitUntil(() => !existsSync(where));
  worker.kill('SIGTERM');
  expect(await worker.exited).toMatchObject({ code: 143, stderr: '' });
});

test('a failed verification fails the submission, and with retry_once the model is asked to fix it', async () => {
  const fleet = await createFleet();
  const repository = createRepository(fleet);
  await startWorker(fleet);
  fleet.provider.add({ text: 'did nothing' });
  const verify = ['--verify', 'test -f made'];
  const failed = await run(fleet, repository, ['submit', '--wait', '--id', 'a', ...verify, 'go']);
  expect(failed).toMatchObject({ code: 1, stdout: 'did nothing\n' });
  expect(failed.stderr).toContain('the submission a was failed: Verification failed: test -f made');
  fleet.provider.add({ text: 'did nothing' }, callBash('touch made'), { text: 'fixed' });
  const retried = ['submit', '--wait', '--id', 'b', ...verify, '--on-failure', 'retry_once', 'go'];
  expect(await run(fleet, repository, retried)).toMatchObject({ code: 0, stdout: 'fixed\n' });
});

test('a submission with the same id is the same submission', async () => {
  const fleet = await createFleet();
  const repository = createRepository(fleet);
  expect(await submit(fleet, repository, '--id', 'one', 'go')).toBe('one');
  expect(await submit(fleet, repository, '--id', 'one', 'go')).toBe('one');
  const other = await run(fleet, repository, ['submit', '--id', 'one', 'something else']);
  expect(other).toMatchObject({ code: 1 });
  expect(other.stderr).toContain('Something else was submitted with this id: one');
  expect(await readDetails(fleet, repository, 'one')).toMatchObject({ submission: { state: 'queued' } });
  await startWorker(fleet);
  expect(await run(fleet, repository, ['submit', '--wait', '--id', 'one', 'go'])).toMatchObject({ stdout: 'Done.\n' });
  expect(fleet.provider.requests).toHaveLength(1);
  expect((await run(fleet, repository, ['submissions', '--json'])).stdout.trim().split('\n')).toHaveLength(1);
});

/** A task whose command runs until it is killed. */
async function startLongTask(fleet: Fleet, repository: string, id: string, after = ''): Promise<void> {
  const command = `echo $$ > ${fleet.cwd}/running; echo done >> ${fleet.cwd}/effects; ${after} exec sleep 1000`;
  fleet.provider.add(callBash('echo early > early.txt'), callBash(command));
  await submit(fleet, repository, '--id', id, 'go');
  await waitUntil(() => existsSync(join(fleet.cwd, 'running')));
}

test('a running submission is stopped within a second, and a waiting one is never started', async () => {
  const fleet = await createFleet();
  const repository = createRepository(fleet);
  const worker = await startWorker(fleet);
  await startLongTask(fleet, repository, 'runs');
  await submit(fleet, repository, '--id', 'waits', 'never');
  const server = await fleet.startNode();
  const pid = Number(readFileSync(join(fleet.cwd, 'running'), 'utf8'));
  expect(await server.request('/v1/submissions/waits/cancel', { method: 'POST' })).toMatchObject({ status: 200 });
  const before = performance.now();
  await server.request('/v1/submissions/runs/cancel', { method: 'POST' });
  await waitUntil(() => !existsSync(`/proc/${pid}`));
  expect(performance.now() - before).toBeLessThan(1500);
  await waitUntil(async () => (await readDetails(fleet, repository, 'runs')).result !== undefined);
  expect(await readDetails(fleet, repository, 'runs')).toMatchObject({
    submission: { state: 'cancelled' },
    result: { status: 'cancelled', hasPatch: true },
  });
  await waitUntil(() => !isListed(join(worker.home, 'workspaces', readdirSync(join(worker.home, 'workspaces'))[0]!)));
  const waiting = await readDetails(fleet, repository, 'waits');
  expect(waiting.submission.state).toBe('cancelled');
  expect(waiting.submission.worker).toBeUndefined();
  expect(fleet.provider.requests).toHaveLength(2);
  // The worker takes the next one.
  expect(await run(fleet, repository, ['submit', '--wait', 'go'])).toMatchObject({ code: 0 });
});

async function expectContinued(fleet: Fleet, repository: string, survivor: Program, id: string): Promise<void> {
  await waitUntil(async () => (await readDetails(fleet, repository, id)).submission.state === 'succeeded');
  expect(await readDetails(fleet, repository, id)).toMatchObject({
    submission: { worker: expect.stringContaining(`process ${survivor.pid} `) },
    result: { text: 'continued', hasPatch: true },
  });
  const { stdout } = await run(fleet, repository, ['submissions', 'patch', id]);
  expect(stdout).toContain('+early');
  expect(readFileSync(join(fleet.cwd, 'effects'), 'utf8')).toBe('done\n');
  expect(fleet.provider.requests).toHaveLength(3);
}

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'a submission whose worker ended with %s is continued by another',
  async (signal) => {
    const fleet = await createFleet();
    const repository = createRepository(fleet);
    const first = await startWorker(fleet);
    await startLongTask(fleet, repository, 'one');
    const second = await startWorker(fleet);
    fleet.provider.add({ text: 'continued' });
    first.kill(signal);
    await first.exited;
    await expectContinued(fleet, repository, second, 'one');
  },
);

test('a worker that was suspended cannot write to the submission that another has taken over', async () => {
  const fleet = await createFleet();
  const repository = createRepository(fleet);
  const first = await startWorker(fleet);
  await startLongTask(fleet, repository, 'one');
  const second = await startWorker(fleet);
  fleet.provider.add({ text: 'continued' });
  first.kill('SIGSTOP');
  await expectContinued(fleet, repository, second, 'one');
  const stored = await readDetails(fleet, repository, 'one');
  const pid = Number(readFileSync(join(fleet.cwd, 'running'), 'utf8'));
  first.kill('SIGCONT');
  await waitUntil(() => !existsSync(`/proc/${pid}`));
  expect(await readDetails(fleet, repository, 'one')).toEqual(stored);
  // It goes on with other submissions.
  second.kill('SIGKILL');
  await second.exited;
  expect(await run(fleet, repository, ['submit', '--wait', 'go'])).toMatchObject({ code: 0 });
});

test('a tenant with few submissions does not wait for one with many, and two workers share the queue', async () => {
  const fleet = await createFleet();
  const server = await fleet.startNode(['--set', 'database.tenant=many']);
  const few = await fleet.startNode(['--set', 'database.tenant=few']);
  const post = (node: typeof server, id: string) =>
    node.request('/v1/submissions', { method: 'POST', body: { submissionId: id, prompt: `from ${id}` } });
  await Promise.all(Array.from({ length: 40 }, (_, index) => post(server, `many-${index}`)));
  const workers = await Promise.all([startWorker(fleet), startWorker(fleet)]);
  await waitUntil(() => fleet.provider.requests.length > 2);
  expect(await post(few, 'few-1')).toMatchObject({ status: 201 });
  await waitUntil(async () => {
    const { json } = await few.request('/v1/submissions/few-1');
    return (json as { data: Details }).data.submission.state === 'succeeded';
  });
  const list = async () => {
    const { json } = await server.request('/v1/submissions?limit=1000');
    return (json as { data: { submissions: { state: string; worker?: string }[] } }).data.submissions;
  };
  expect((await list()).filter(({ state }) => state === 'queued').length).toBeGreaterThan(10);
  const pids = workers.map(({ pid }) => `process ${pid} `);
  await waitUntil(async () => {
    const used = (await list()).map(({ worker = '' }) => worker);
    return pids.every((pid) => used.some((worker) => worker.startsWith(pid)));
  });
  // A tenant sees only its own ones.
  expect(await few.request('/v1/submissions/many-0')).toMatchObject({ status: 404 });
  await Promise.all([stopServer(server), stopServer(few)]);
});

test('no more submissions of a queue run than it allows', async () => {
  const fleet = await createFleet();
  const repository = createRepository(fleet);
  const limits = ['--concurrency', '5', '--global-concurrency', '1'];
  await Promise.all([startWorker(fleet, limits), startWorker(fleet), startWorker(fleet, ['--queue', 'other'])]);
  const gate = createDeferred();
  fleet.provider.add({ text: 'held', after: gate.promise });
  await submit(fleet, repository, '--id', 'a', 'go');
  await waitUntil(() => fleet.provider.requests.length === 1);
  await submit(fleet, repository, '--id', 'b', 'go');
  expect(await run(fleet, repository, ['submit', '--queue', 'other', '--wait', 'go'])).toMatchObject({ code: 0 });
  expect(await readDetails(fleet, repository, 'a')).toMatchObject({ submission: { state: 'running' } });
  expect(await readDetails(fleet, repository, 'b')).toMatchObject({ submission: { state: 'queued' } });
  gate.resolve();
  expect(await run(fleet, repository, ['submit', '--wait', '--id', 'b', 'go'])).toMatchObject({ code: 0 });
});

test('a repository is not trusted, and nothing of it runs', async () => {
  const fleet = await createFleet();
  const repository = createRepository(fleet);
  const extension = `import { writeFileSync } from 'node:fs';\nexport default () => writeFileSync(${JSON.stringify(join(fleet.cwd, 'loaded'))}, '');\n`;
  mkdirSync(join(repository, '.parley', 'extensions'), { recursive: true });
  writeFileSync(join(repository, '.parley', 'extensions', 'evil.ts'), extension);
  git(repository, 'add', '.');
  git(repository, 'commit', '-q', '-m', 'extension');
  await startWorker(fleet);
  expect(await run(fleet, repository, ['submit', '--wait', 'go'])).toMatchObject({ code: 0 });
  expect(existsSync(join(fleet.cwd, 'loaded'))).toBe(false);
});

test('wrong arguments, and a missing database', async () => {
  const fleet = await createFleet();
  const repository = createRepository(fleet);
  const expectProblem = async (args: readonly string[], problem: string, code = 2) => {
    const ended = await run(fleet, repository, args);
    expect(ended.stderr).toContain(problem);
    expect(ended.code).toBe(code);
  };
  await expectProblem(['worker'], 'parley worker needs --queue NAME');
  await expectProblem(['worker', '--queue', 'a/b'], 'The name of a queue has letters', 1);
  await expectProblem(['worker', '--queue', 'a', '--rate', '10'], '--rate takes NUMBER/SECONDSs');
  await expectProblem(['worker', '--queue', 'a', '--continue'], 'parley worker takes no --continue');
  await expectProblem(['submit', '--commit', 'missing', 'go'], 'has no commit missing', 1);
  await expectProblem(['submit', '--repository', 'missing', 'go'], 'There is no repository', 1);
  await expectProblem(['submissions', 'status', 'missing'], 'There is no submission missing', 1);
  const without = await runProgram(['submit', 'go'], '', {
    directories: { ...fleet.provider.createDirectories(), cwd: repository },
  });
  expect(without).toMatchObject({ code: 2 });
  expect(without.stderr).toContain('Submissions need a database');
});
