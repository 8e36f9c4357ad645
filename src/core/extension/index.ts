// Exports of the extension system. Loaded only when there is an extension.

export { createEventBus } from './event-bus.ts';
export type { ExtensionResourcePaths } from './event-handlers/discover-resources.ts';
export { ExtensionSystem } from './extension-system.ts';
export { ModelRegistryView } from './model-registry-view.ts';
export { plainTheme } from './plain-theme.ts';
export { buildSessionContext, SessionLogReader } from './session-log-reader.ts';
export {
  createInitialSystemMessage,
  getCurrentSystemMessage,
  getCurrentSystemPrompt,
  getCurrentTools,
  getSystemMessageText,
  isSystemMessage,
  type SystemMessage,
} from './system-messages.ts';
