// Table of contents: what the app takes from the server.
export { createHub } from './hub.ts';
export { type ServeOptions, serve } from './serve.ts';
