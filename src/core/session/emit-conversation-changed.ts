// Tells listeners that the path of the conversation was replaced.
import type { AgentEventOf } from '../../protocol/index.ts';
import type { SessionState } from './session-state.ts';

/** Called once per replacement, when the new path is complete. */
export async function emitConversationChanged(
  { broadcast, conversation }: SessionState,
  reason: AgentEventOf<'conversation_changed'>['reason'],
): Promise<void> {
  const { header, leafId } = conversation;
  await broadcast.emit({ type: 'conversation_changed', sessionId: header.id, leafId, reason });
}
