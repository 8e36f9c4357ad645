// Table of contents: what the app takes from core.
export type { SessionOptions } from './session/options.ts';
export { createSession } from './session/session.ts';
