// Exports of the extension system. Loaded only when there is an extension.

export { entryToMessages } from '../tree/context-path.ts';
export { createEventBus } from './event-bus.ts';
export type { ExtensionResourcePaths } from './event-handlers/discover-resources.ts';
export { ExtensionSystem } from './extension-system.ts';
export { createExtensionTool } from './extension-tools.ts';
export { ModelRegistryView } from './model-registry-view.ts';
export {
  completeEvent,
  createEmptyMessage,
  createModelRequests,
} from './model-requests.ts';
export { plainTheme } from './plain-theme.ts';
export { buildSessionContext, SessionLogReader } from './session-log-reader.ts';
export { SessionLogView } from './session-log-view.ts';
export {
  createInitialSystemMessage,
  getCurrentSystemMessage,
  getCurrentSystemPrompt,
  getCurrentTools,
  getSystemMessageText,
  isSystemMessage,
  type SystemMessage,
} from './system-messages.ts';
