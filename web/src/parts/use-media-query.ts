// Whether a media query matches, as a hook.
import { useEffect, useState } from 'preact/hooks';

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
