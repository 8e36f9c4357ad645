// Table of contents: the interfaces between the rooms of the house.
export * from './command.ts';
export * from './dialect.ts';
export * from './extension.ts';
export * from './hooks.ts';
export * from './host-ui.ts';
export * from './hub.ts';
export * from './model-api.ts';
export * from './places.ts';
export * from './ports.ts';
export * from './schema.ts';
export * from './session.ts';
export * from './shell.ts';
export * from './store.ts';
export * from './subagents.ts';
export * from './tool.ts';
export * from './tool-result.ts';
export * from './transport.ts';
