// Whether a media query matches, as a hook.
import { useEffect, useState } from 'preact/hooks';

/** Where the list of sessions and the panels cover the session. The style sheets contain the same width. */
export const PHONE = '(max-width: 760px)';

export function useMediaQuery(query: string): boolean {
  const [isMatching, setIsMatching] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const update = () => setIsMatching(list.matches);
    update();
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, [query]);
  return isMatching;
}
