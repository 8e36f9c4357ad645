// First floor, core: what a session is made with. The app fills it in; nothing here knows where the values come from.
import type { Models, Ports, RunShell, SessionStore, Tool, ToolOptions } from '../../contracts/index.ts';
import type { InterruptMode, Model, QueueMode, ThinkingLevel } from '../../protocol/index.ts';
import type { RetrySettings } from '../policy/retry.ts';

export interface SessionOptions {
  ports: Ports;
  store: SessionStore;
  models: Models;
  model: Model | null;
  thinkingLevel: ThinkingLevel;
  tools: readonly Tool[];
  toolOptions: ToolOptions;
  runShell: RunShell;
  cwd: string;
  /** The user's own directory; its notes come before the project's. */
  agentDirectory: string;
  systemPrompt?: string | undefined;
  appendSystemPrompt?: string | undefined;
  name?: string | undefined;
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  interruptMode: InterruptMode;
  autoCompaction: boolean;
  retry: RetrySettings;
}
