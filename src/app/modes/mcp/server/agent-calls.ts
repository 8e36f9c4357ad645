// Carries out the calls of the `agent` tool. Each call opens its session and closes it, so that other processes can use it between calls.
import { createDeferred, Fault, getErrorMessage } from '../../../../base/index.ts';
import type { AgentSession, OpenSessionRequest, SessionPool, SessionSummary } from '../../../../contracts/index.ts';
import type { Model, ThinkingLevel } from '../../../../protocol/index.ts';
import type { AgentArguments, AgentResult } from './agent-tool.ts';
import type { Elicit } from './elicitation-ui.ts';
import { type RunContext, runAgent } from './run-agent.ts';

export interface AgentCallContext extends RunContext {
  /** Absent when the client cannot ask its user. */
  readonly elicit?: Elicit | undefined;
}

export interface ResolvedModel {
  readonly model: Model;
  readonly thinkingLevel?: ThinkingLevel | undefined;
}

export interface AgentCallsOptions {
  /** Called when it is first needed: the pool is created then. */
  getPool(): SessionPool;
  /** Finds a model as the flag `--model` does. Throws a Fault for an unknown name. */
  resolveModel(name: string): Promise<ResolvedModel>;
  /** The absolute path. Throws a Fault when there is no such directory. */
  resolveDirectory(path: string): Promise<string>;
}

export class AgentCalls {
  readonly #options: AgentCallsOptions;
  readonly #contexts = new Map<AgentSession, AgentCallContext>();
  /** The end of the last call in each session that is in use. */
  readonly #lastCalls = new Map<string, Promise<void>>();

  constructor(options: AgentCallsOptions) {
    this.#options = options;
  }

  /** How the session's questions reach the user. */
  getElicit(session: AgentSession): Elicit | undefined {
    return this.#contexts.get(session)?.elicit;
  }

  /** Failures are part of the result. */
  async call(args: AgentArguments, context: AgentCallContext): Promise<AgentResult> {
    try {
      return args.session === undefined
        ? await this.#run(args, context)
        : await this.#runAfterOthers(args.session, context, () => this.#run(args, context));
    } catch (thrown) {
      if (context.signal.aborted) return { status: 'aborted', text: '' };
      return { status: 'error', text: '', error: getErrorMessage(thrown) };
    }
  }

  /** Calls in the same session run one after another, in the order in which they arrived. */
  async #runAfterOthers<T>(id: string, { signal, report }: AgentCallContext, run: () => Promise<T>): Promise<T> {
    const previous = this.#lastCalls.get(id);
    const done = createDeferred();
    const last = Promise.all([previous, done.promise]).then(() => {
      if (this.#lastCalls.get(id) === last) this.#lastCalls.delete(id);
    });
    this.#lastCalls.set(id, last);
    try {
      if (previous) {
        report('Waiting for another call in this session');
        await waitUnlessAborted(previous, signal);
      }
      return await run();
    } finally {
      done.resolve();
    }
  }

  async #run(args: AgentArguments, context: AgentCallContext): Promise<AgentResult> {
    const pool = this.#options.getPool();
    const resolved = args.model === undefined ? undefined : await this.#options.resolveModel(args.model);
    const { session } = await pool.open({
      ...(await this.#findDirectory(pool, args)),
      persist: true,
      model: resolved && {
        provider: resolved.model.provider,
        id: resolved.model.id,
        thinkingLevel: resolved.thinkingLevel,
      },
    });
    this.#contexts.set(session, context);
    try {
      if (resolved) await selectModel(session, resolved);
      return await runAgent(session, args.prompt, context);
    } finally {
      this.#contexts.delete(session);
      await pool.close(session.id);
    }
  }

  /** A stored session continues in its own directory. */
  async #findDirectory(
    pool: SessionPool,
    { cwd, session: id }: AgentArguments,
  ): Promise<Pick<OpenSessionRequest, 'id' | 'cwd' | 'mustExist'>> {
    if (id === undefined) return { cwd };
    const stored = await locateUnlessAbsent(pool, id);
    if (stored?.id !== id)
      throw new Fault('not_found', `Session not found: ${id}. Omit \`session\` to start a new one.`);
    if (cwd !== undefined && (await this.#options.resolveDirectory(cwd)) !== stored.cwd) {
      throw new Fault('invalid_params', `Session ${id} works in ${stored.cwd}, not in ${cwd}. Omit \`cwd\`.`);
    }
    return { id, cwd: stored.cwd, mustExist: true };
  }
}

/** Also accepts the beginning of an id. */
function locateUnlessAbsent(pool: SessionPool, id: string): Promise<SessionSummary | undefined> {
  return pool.locate(id).catch((thrown: unknown) => {
    if (thrown instanceof Fault && (thrown.code === 'not_found' || thrown.code === 'invalid_params')) return undefined;
    throw thrown;
  });
}

/** For models that the pool cannot find by their id, and for sessions that were stored with another model. */
async function selectModel({ models }: AgentSession, { model, thinkingLevel }: ResolvedModel): Promise<void> {
  const { current } = models;
  if (current?.id !== model.id || current.provider !== model.provider) await models.select(model.provider, model.id);
  if (thinkingLevel && models.thinkingLevel !== thinkingLevel) await models.setThinkingLevel(thinkingLevel);
}

async function waitUnlessAborted(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = createDeferred();
  const abort = () => aborted.reject(new Fault('aborted', 'The call was cancelled.'));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    await Promise.race([wait, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
