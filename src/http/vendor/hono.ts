// Entry point for bundling hono, so that it does not have to be installed.
export type { Context } from 'hono';
export { Hono } from 'hono/tiny';
