// What is in progress in a session, as far as its events tell: the open message, the running tools and the queues.
import type { AgentEvent, SessionSnapshot } from '../../protocol/index.ts';

type InProgress = Pick<SessionSnapshot, 'openMessage' | 'runningTools' | 'queues'>;

export class LiveState {
  #openMessage: InProgress['openMessage'] = null;
  readonly #runningTools = new Map<string, InProgress['runningTools'][number]>();
  #queues: InProgress['queues'] = { steering: [], followUp: [] };

  update(event: AgentEvent): void {
    switch (event.type) {
      case 'message_start':
        if (event.message.role === 'assistant') this.#openMessage = event.message;
        break;
      case 'message_update':
        // The object may be replaced while it grows.
        this.#openMessage = event.message;
        break;
      case 'message_end':
        if (event.message.role === 'assistant') this.#openMessage = null;
        break;
      case 'tool_execution_start':
      case 'tool_execution_update': {
        const { type: _, ...call } = event;
        this.#runningTools.set(event.toolCallId, call);
        break;
      }
      case 'tool_execution_end':
        this.#runningTools.delete(event.toolCallId);
        break;
      case 'agent_end':
        this.#openMessage = null;
        this.#runningTools.clear();
        break;
      case 'queue_update':
        this.#queues = { steering: event.steering, followUp: event.followUp };
        break;
    }
  }

  read(): InProgress {
    return { openMessage: this.#openMessage, runningTools: [...this.#runningTools.values()], queues: this.#queues };
  }
}
