// HTTP headers that identify this program to the Copilot API.

/** The API accepts only known integrations. This id is the one that other editors use. */
export const COPILOT_HEADERS: Record<string, string> = {
  'copilot-integration-id': 'vscode-chat',
  'editor-version': 'Parley/1.0',
  'openai-intent': 'conversation-edits',
};
