// Entry point for bundling ws, so that it does not have to be installed.
export { WebSocketServer } from 'ws';
