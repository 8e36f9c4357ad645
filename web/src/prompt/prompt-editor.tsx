// The editor of the prompt: text, images, completion of slash commands, and the switches below it.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { canChange, showToast } from '../app/app-state.ts';
import type { SessionStore } from '../app/session-store.ts';
import { IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { PHONE, useMediaQuery } from '../parts/use-media-query.ts';
import { isRunning, type SessionView } from '../store/session-view.ts';
import { CommandList } from './command-list.tsx';
import {
  clearDraft,
  DRAFT_IMAGE_TYPES,
  type DraftImage,
  getDraft,
  prependDraft,
  readImages,
  setDraft,
} from './draft.ts';
import { SessionSwitches } from './session-switches.tsx';
import { useCompletion } from './use-completion.ts';

interface PromptEditorProps {
  readonly store: SessionStore;
  /** Called when a prompt is sent that starts a run. */
  readonly onStart: () => void;
}

type Delivery = 'steer' | 'followUp';

export function PromptEditor({ store, onStart }: PromptEditorProps) {
  const { sessionId } = store.view.value;
  const draft = getDraft(sessionId);
  const send = (delivery: Delivery) => {
    if (!isRunning(store.view.value)) onStart();
    void sendPrompt(store, delivery);
  };
  return (
    <form
      class="prompt"
      aria-label="Prompt"
      onSubmit={(event) => {
        event.preventDefault();
        send('steer');
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void addImages(sessionId, event.dataTransfer?.files);
      }}
    >
      <DraftImages sessionId={sessionId} images={draft.images} />
      <PromptField store={store} onSend={send} />
      <div class="prompt-bar">
        <SessionSwitches store={store} />
        <PromptButtons store={store} isEmpty={draft.text.trim() === '' && draft.images.length === 0} onSend={send} />
      </div>
    </form>
  );
}

interface PromptFieldProps {
  readonly store: SessionStore;
  readonly onSend: (delivery: Delivery) => void;
}

function PromptField({ store, onSend }: PromptFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const view = store.view.value;
  const { sessionId, commands = [] } = view;
  const { text } = getDraft(sessionId);
  const running = isRunning(view);
  const isPhone = useMediaQuery(PHONE);
  const completion = useCompletion({ text, commands, setText: (value) => setDraft(sessionId, { text: value }) });
  const { found, selected } = completion;
  useEditorText(store, field);
  useAutoHeight(field, text);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (completion.handleKey(event)) event.preventDefault();
    else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      onSend(event.altKey ? 'followUp' : 'steer');
    } else if (event.key === 'Escape' && running) {
      event.preventDefault();
      void store.run('abort');
    }
  };
  return (
    <>
      {found.length > 0 ? <CommandList commands={found} selected={selected} onSelect={completion.complete} /> : null}
      <textarea
        ref={field}
        id="prompt"
        dir="auto"
        rows={1}
        value={text}
        placeholder={getPlaceholder(view, isPhone)}
        aria-label="Prompt"
        aria-controls={found.length > 0 ? 'command-list' : undefined}
        aria-activedescendant={found.length > 0 ? `command-${selected}` : undefined}
        autocomplete="off"
        disabled={!canChange.value}
        onInput={(event) => {
          setDraft(sessionId, { text: event.currentTarget.value });
          completion.update(event.currentTarget.selectionStart);
        }}
        onKeyDown={onKeyDown}
        onPaste={(event) => void pasteImages(sessionId, event)}
      />
    </>
  );
}

function getPlaceholder(view: SessionView, isPhone: boolean): string {
  if (!canChange.value) return view.isLoaded && view.access === 'read' ? 'This access is read-only' : '';
  const running = isRunning(view);
  if (isPhone) return running ? 'Steer the run' : 'Write a prompt';
  return running ? 'Enter steers the run, Alt+Enter follows up, Esc aborts' : 'Write a prompt, / for commands';
}

async function sendPrompt(store: SessionStore, delivery: Delivery): Promise<void> {
  const { sessionId } = store.view.value;
  const draft = getDraft(sessionId);
  const message = draft.text.trim();
  if (message === '' && draft.images.length === 0) return;
  const images = draft.images.map(({ data, mimeType }) => ({ type: 'image', data, mimeType }));
  clearDraft(sessionId);
  // With a delivery, a prompt is accepted whether or not a run is in progress.
  const params = { message, streamingBehavior: delivery, ...(images.length > 0 ? { images } : {}) };
  const isAccepted = await store.run('prompt', params);
  if (!isAccepted) prependDraft(sessionId, draft);
}

/** An extension may put a text into the editor. */
function useEditorText(store: SessionStore, field: { readonly current: HTMLTextAreaElement | null }): void {
  const { editorText, sessionId } = store.view.value;
  const seen = useRef(editorText.count);
  useEffect(() => {
    if (editorText.count <= seen.current) return;
    seen.current = editorText.count;
    setDraft(sessionId, { text: editorText.text });
    field.current?.focus();
  }, [editorText.count]);
}

function useAutoHeight(field: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight, innerHeight * 0.4)}px`;
  }, [text]);
}

async function addImages(sessionId: string, files: Iterable<File> | undefined): Promise<void> {
  const all = [...(files ?? [])];
  const images = await readImages(all);
  if (images.length < all.length) showToast('Only PNG, JPEG, GIF and WebP images can be added.');
  if (images.length > 0) setDraft(sessionId, { images: [...getDraft(sessionId).images, ...images] });
}

async function pasteImages(sessionId: string, event: ClipboardEvent): Promise<void> {
  const files = event.clipboardData?.files;
  if (!files || files.length === 0) return;
  event.preventDefault();
  await addImages(sessionId, files);
}

function DraftImages({ sessionId, images }: { readonly sessionId: string; readonly images: readonly DraftImage[] }) {
  if (images.length === 0) return null;
  return (
    <ul class="draft-images" aria-label="Images of the prompt">
      {images.map(({ id, mimeType, data, name }) => (
        <li key={id}>
          <img src={`data:${mimeType};base64,${data}`} alt={name || 'Image'} />
          <IconButton
            icon="close"
            label={`Remove ${name || 'image'}`}
            onClick={() => setDraft(sessionId, { images: images.filter((image) => image.id !== id) })}
          />
        </li>
      ))}
    </ul>
  );
}

interface PromptButtonsProps {
  readonly store: SessionStore;
  readonly isEmpty: boolean;
  readonly onSend: (delivery: Delivery) => void;
}

function PromptButtons({ store, isEmpty, onSend }: PromptButtonsProps) {
  const running = isRunning(store.view.value);
  if (!canChange.value) return null;
  return (
    <div class="prompt-buttons">
      <label class="icon-button" title="Add an image">
        <Icon name="image" />
        <input
          class="visually-hidden"
          type="file"
          accept={DRAFT_IMAGE_TYPES.join(',')}
          multiple
          aria-label="Add an image"
          onChange={(event) => {
            const input = event.currentTarget as HTMLInputElement;
            void addImages(store.view.value.sessionId, input.files ?? []).then(() => {
              input.value = '';
            });
          }}
        />
      </label>
      {running ? (
        <>
          <button type="button" class="button" disabled={isEmpty} onClick={() => onSend('followUp')} title="Alt+Enter">
            Follow up
          </button>
          <button type="submit" class="button" disabled={isEmpty} title="Enter">
            Steer
          </button>
          <button type="button" class="button danger" onClick={() => void store.run('abort')} title="Esc">
            <Icon name="stop" size={14} /> Abort
          </button>
        </>
      ) : (
        <button type="submit" class="button primary" disabled={isEmpty} title="Enter">
          <Icon name="send" size={14} /> Send
        </button>
      )}
    </div>
  );
}
