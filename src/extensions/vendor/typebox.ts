// Entry point for bundling TypeBox, so that it does not have to be installed. Loaded only for extensions that may use it.
export * as typebox from 'typebox';
export * as compile from 'typebox/compile';
export * as value from 'typebox/value';
