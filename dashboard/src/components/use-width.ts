import { useLayoutEffect, useRef, useState } from 'react';

/** How wide an element is, in pixels, as long as it is shown; 0 before that. */
export function useWidth<E extends Element>() {
  const element = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    setWidth(current.clientWidth);
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}
