// What a run needs before its first request. Loaded with the first prompt.
export { acceptPrompt } from './accept-prompt.ts';
export { createRunScope } from './create-run-scope.ts';
export { createDelivery, prepareRun, toEntryBody } from './prepare-run.ts';
export { runPrompt } from './run-prompt.ts';
