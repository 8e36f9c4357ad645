// Session updates: events and stored history as session/update notifications.
export { describeToolCall } from './describe-tool-call.ts';
export { encodeHistory } from './encode-history.ts';
export { encodeCommands } from './session-facts.ts';
export { acpEvents, SessionUpdateEncoder } from './session-update-encoder.ts';
export { describeToolContent } from './tool-content.ts';
export { createUpdateFrame } from './update-frame.ts';
