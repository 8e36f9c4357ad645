// First floor, llm: what Copilot wants to know of whoever speaks with it. Data.

/** It answers only to integrations that it knows; this is the one that other editors use. */
export const COPILOT_HEADERS: Record<string, string> = {
  'copilot-integration-id': 'vscode-chat',
  'editor-version': 'Parley/1.0',
  'openai-intent': 'conversation-edits',
};
