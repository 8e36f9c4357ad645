// Re-exports the interfaces between the modules.

export * from './agent-session.ts';
export * from './command.ts';
export * from './dialect.ts';
export * from './extension.ts';
export * from './hooks.ts';
export * from './host-connection.ts';
export * from './host-ui.ts';
export * from './host-uris.ts';
export * from './markup.ts';
export * from './model-api.ts';
export * from './pattern-matcher.ts';
export * from './ports.ts';
export * from './process-identity.ts';
export * from './provider-auth.ts';
export * from './resource-locator.ts';
export * from './schema.ts';
export * from './session-hub.ts';
export * from './session-pool.ts';
export * from './session-store.ts';
export * from './shell.ts';
export * from './sidecar-files.ts';
export * from './subagents.ts';
export * from './todo-list.ts';
export * from './tool.ts';
export * from './tool-result.ts';
export * from './transport.ts';
