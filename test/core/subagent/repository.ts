// A real git repository in a temporary directory, with helpers that run isolated tasks in it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { createProcessIdentity } from '../../../src/app/system-ports/process-identity.ts';
import type { Ports } from '../../../src/contracts/index.ts';
import { beginIsolation } from '../../../src/core/subagent/isolation/worktree-isolation.ts';
import type { Isolation } from '../../../src/core/subagent/workspace.ts';
import type { SubagentResult } from '../../../src/protocol/index.ts';

const IDENTITY = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b' };

export class TestRepository {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), 'parley-isolation-')));
  readonly root = join(this.directory, 'work');
  readonly ports = createSystemPorts({ env: { ...process.env, HOME: this.directory, GIT_CONFIG_NOSYSTEM: '1' } });

  constructor() {
    mkdirSync(join(this.directory, 'artifacts'), { recursive: true });
    this.init(this.root);
  }

  init(root: string): void {
    mkdirSync(root, { recursive: true });
    this.sh('git init -q -b main .', root);
  }

  write(path: string, content: string | Uint8Array, root = this.root): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }

  sh(command: string, cwd = this.root): string {
    const env = { ...process.env, ...IDENTITY, HOME: this.directory, GIT_CONFIG_NOSYSTEM: '1' };
    return execFileSync('bash', ['-c', command], { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  commit(cwd = this.root): void {
    this.sh('git add -A && git commit -qm state', cwd);
  }

  isolate(merge: 'patch' | 'branch' = 'patch', cwd = this.root, ports: Ports = this.ports): Promise<Isolation> {
    return beginIsolation({
      ports,
      process: createProcessIdentity(),
      worktreesDirectory: join(this.directory, 'worktrees'),
      merge,
      cwd,
      folder: join(this.directory, 'artifacts'),
      signal: new AbortController().signal,
    });
  }

  /** Runs each script as one task in its own workspace, then merges all changes. */
  async runTasks(scripts: readonly string[], merge: 'patch' | 'branch' = 'patch', exitCodes: readonly number[] = []) {
    const isolation = await this.isolate(merge);
    const results: SubagentResult[] = [];
    for (const [index, script] of scripts.entries()) {
      const workspace = await isolation.createWorkspace(`T${index}`);
      this.sh(script, workspace.cwd);
      const captured = await workspace.capture({ asBranch: merge === 'branch', createMessage: () => `Task ${index}` });
      await workspace.remove();
      results.push({ ...createTaskResult(index), ...captured, exitCode: exitCodes[index] ?? 0 });
    }
    const { text } = await isolation.merge(results);
    await isolation.close();
    return { text, results };
  }

  /** Everything that a user can observe: files, index, HEAD, branches, worktrees, stashes. */
  state(cwd = this.root): string {
    return [
      'git status --porcelain=v2 --untracked-files=all --ignored',
      'git diff --binary',
      'git diff --cached --binary',
      'git rev-parse HEAD',
      'git for-each-ref',
      'git worktree list',
      'git stash list',
      'ls .git/worktrees 2>/dev/null || true',
    ]
      .map((command) => this.sh(command, cwd))
      .join('\n--\n');
  }

  async close(): Promise<void> {
    await this.ports.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export function createTaskResult(index: number): SubagentResult {
  return {
    index,
    id: `T${index}`,
    agent: 'task',
    agentSource: 'bundled',
    task: '',
    exitCode: 0,
    output: '',
    stderr: '',
    truncated: false,
    durationMs: 0,
    tokens: 0,
  };
}
