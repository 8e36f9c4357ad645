// The queued messages, which can be edited, removed and moved while they wait.
import { useEffect, useState } from 'preact/hooks';
import { canChange } from '../app/app-state.ts';
import type { SessionStore } from '../app/session-store.ts';
import { IconButton } from '../parts/button.tsx';
import { formatCount, shorten } from '../parts/format.ts';
import { useFocus } from '../parts/use-focus.ts';
import { CallError } from '../wire/pending-calls.ts';
import { listQueuedMessages, type QueuedMessage, sortQueue } from './queued-messages.ts';

/** `undefined` while the ids are not known: the messages can be read, but not changed. */
type Editable = readonly QueuedMessage[] | undefined;

export function QueuePanel({ store }: { readonly store: SessionStore }) {
  const { queues, sessionId, attachCount } = store.view.value;
  const texts = JSON.stringify(queues);
  const [editable, setEditable] = useState<Editable>(undefined);
  const count = queues.steering.length + queues.followUp.length;
  useEffect(() => {
    let isCurrent = true;
    if (count === 0) setEditable(undefined);
    else void loadQueue(store).then((items) => isCurrent && setEditable(items));
    return () => {
      isCurrent = false;
    };
    // A new connection: the last call may have failed, and another server process has other ids.
  }, [texts, sessionId, attachCount]);
  if (count === 0) return null;
  const shown = editable && editable.length === count ? editable : listQueuedMessages(queues, editable ?? []);
  const isEditable = editable?.length === count && canChange.value;
  return (
    <section class="queue" aria-label="Queued messages">
      <ol>
        {shown.map((message) => (
          <QueueItem
            key={message.id}
            store={store}
            message={message}
            queue={shown.filter(({ kind }) => kind === message.kind)}
            isEditable={isEditable}
          />
        ))}
      </ol>
    </section>
  );
}

async function loadQueue(store: SessionStore): Promise<Editable> {
  try {
    return sortQueue(((await store.call('get_queue')) as { items: QueuedMessage[] }).items);
  } catch (thrown) {
    // A server without this command, or a lost connection.
    if (!(thrown instanceof CallError)) throw thrown;
    return undefined;
  }
}

interface QueueItemProps {
  readonly store: SessionStore;
  readonly message: QueuedMessage;
  /** The messages of the same queue. */
  readonly queue: readonly QueuedMessage[];
  readonly isEditable: boolean;
}

function QueueItem({ store, message, queue, isEditable }: QueueItemProps) {
  const [isEditing, setIsEditing] = useState(false);
  const { id: messageId, kind, text, images } = message;
  const at = queue.indexOf(message);
  const editButtonId = `edit-${messageId}`;
  const closeEditor = () => {
    setIsEditing(false);
    // The button is drawn when the field, which has the focus, has been removed.
    requestAnimationFrame(() => document.getElementById(editButtonId)?.focus());
  };
  const remove = async () => {
    if (await store.run('remove_queued_message', { messageId })) document.getElementById('prompt')?.focus();
  };
  const move = (index: number) => void store.run('move_queued_message', { messageId, index });
  return (
    <li>
      <span class={`queue-kind ${kind}`}>{kind === 'steer' ? 'Steer' : 'Follow up'}</span>
      {isEditing ? (
        <QueueEditor store={store} message={message} onClose={closeEditor} />
      ) : (
        <span class="queue-text" dir="auto" title={text}>
          {shorten(text, 200) || '(no text)'}
          {images > 0 ? <span class="quiet"> · {formatCount(images, 'image')}</span> : null}
        </span>
      )}
      {isEditable && !isEditing ? (
        <span class="queue-buttons">
          <IconButton icon="up" label="Move up" isDisabled={at === 0} onClick={() => move(at - 1)} />
          <IconButton icon="down" label="Move down" isDisabled={at === queue.length - 1} onClick={() => move(at + 1)} />
          <IconButton icon="edit" label="Edit" id={editButtonId} onClick={() => setIsEditing(true)} />
          <IconButton icon="close" label="Remove" onClick={() => void remove()} />
        </span>
      ) : null}
    </li>
  );
}

interface QueueEditorProps {
  readonly store: SessionStore;
  readonly message: QueuedMessage;
  readonly onClose: () => void;
}

function QueueEditor({ store, message, onClose }: QueueEditorProps) {
  const [value, setValue] = useState(message.text);
  const field = useFocus<HTMLTextAreaElement>();
  const save = async () => {
    if (await store.run('edit_queued_message', { messageId: message.id, message: value })) onClose();
  };
  return (
    <form
      class="queue-editor"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <textarea
        ref={field}
        class="field"
        dir="auto"
        rows={Math.min(8, value.split('\n').length)}
        aria-label="Queued message"
        value={value}
        onInput={(event) => setValue(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void save();
        }}
      />
      <button type="submit" class="button small">
        Save
      </button>
      <button type="button" class="text-button" onClick={onClose}>
        Cancel
      </button>
    </form>
  );
}
