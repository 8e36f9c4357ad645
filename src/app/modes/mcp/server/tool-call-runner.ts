// Runs a tool call of the client: progress, questions to the user, and the result.
import type { Clock, IdGenerator } from '../../../../contracts/index.ts';
import type { AgentCallContext, AgentCalls } from './agent-calls.ts';
import { toToolResult } from './agent-tool.ts';
import type { McpConnection } from './connection.ts';
import { canElicitForms, type Elicit } from './elicitation-ui.ts';
import { InputRounds } from './input-rounds.ts';
import type { ToolCall } from './methods.ts';
import { createProgressReporter, type ProgressReporter } from './progress-reporter.ts';

type Result = Record<string, unknown>;

export interface ToolCallRunnerOptions {
  readonly calls: AgentCalls;
  readonly ports: { clock: Clock; ids: IdGenerator };
  warn(line: string): void;
}

export class ToolCallRunner {
  readonly #options: ToolCallRunnerOptions;
  readonly #rounds: InputRounds;

  constructor(options: ToolCallRunnerOptions) {
    this.#options = options;
    this.#rounds = new InputRounds(options.ports);
  }

  async run(call: ToolCall, connection: McpConnection): Promise<Result> {
    const progress = this.#createProgress(call, connection);
    // A request that the client has cancelled gets no more progress.
    call.signal.addEventListener('abort', progress.stop, { once: true });
    const request = { signal: call.signal, report: progress.report };
    const canElicit = canElicitForms(call.client.capabilities);
    try {
      if (!call.client.isStateless) {
        const elicit: Elicit = (params, signal) => connection.request('elicitation/create', params, signal);
        return await this.#callAgent(call, { ...request, elicit: canElicit ? elicit : undefined });
      }
      if (call.requestState !== undefined) {
        return await this.#rounds.resume(request, call.requestState, call.inputResponses);
      }
      return await this.#rounds.start(request, (context) =>
        this.#callAgent(call, { ...context, elicit: canElicit ? context.elicit : undefined }),
      );
    } finally {
      progress.stop();
    }
  }

  #createProgress({ progressToken }: ToolCall, connection: McpConnection): ProgressReporter {
    return createProgressReporter(this.#options.ports.clock, (progress, message) => {
      if (progressToken === undefined) return;
      connection.notify('notifications/progress', { progressToken, progress, message });
    });
  }

  async #callAgent({ args }: ToolCall, context: Omit<AgentCallContext, 'warn'>): Promise<Result> {
    const { elicit, report } = context;
    const ask: Elicit | undefined =
      elicit &&
      ((params, signal) => {
        report('Waiting for an answer of the user');
        return elicit(params, signal);
      });
    return toToolResult(await this.#options.calls.call(args, { ...context, elicit: ask, warn: this.#options.warn }));
  }
}
