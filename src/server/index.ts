// Public exports of the server.

export { serve } from './serve.ts';
export { createSessionHub } from './session-hub.ts';
