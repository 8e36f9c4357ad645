// Entry point for bundling the Node adapter of hono, so that it does not have to be installed.
export { getRequestListener } from '@hono/node-server';
