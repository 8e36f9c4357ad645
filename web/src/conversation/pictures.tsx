// The images of a message. A click shows an image in its full size.
import { useState } from 'preact/hooks';
import { toSafeLink } from '../markdown/safe-link.ts';
import { Modal } from '../parts/modal.tsx';
import { listPictures, type Picture } from './describe-call.ts';

export function Pictures({ content }: { readonly content: unknown }) {
  const [shown, setShown] = useState<Picture | undefined>(undefined);
  const pictures = listPictures(content);
  if (pictures.length === 0) return null;
  return (
    <div class="pictures">
      {pictures.map((picture, at) =>
        picture.src === '' ? (
          <a key={picture.label} href={toSafeLink(picture.label)} target="_blank" rel="noopener noreferrer">
            {picture.label}
          </a>
        ) : (
          <button key={at} type="button" class="picture-button" onClick={() => setShown(picture)}>
            <img src={picture.src} alt={`${at + 1} of ${pictures.length}`} />
          </button>
        ),
      )}
      {shown ? (
        <Modal title="Image" class="wide" onClose={() => setShown(undefined)}>
          <img class="full-picture" src={shown.src} alt="In full size" />
        </Modal>
      ) : null}
    </div>
  );
}
