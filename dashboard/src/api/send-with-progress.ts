import { Problem } from './problem.ts';

interface Upload {
  readonly method: 'PUT' | 'POST';
  /** Below /api/v1. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Blob;
  readonly signal: AbortSignal;
  /** Called with the part that is sent, 0 to 1. */
  readonly onProgress: (part: number) => void;
}

/** Sends a large body; not by `fetch`, which tells no progress. Throws a `Problem`, or an `AbortError`. */
export function sendWithProgress<T>({ method, path, headers, body, signal, onProgress }: Upload): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, `/api/v1${path}`);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onload = () =>
      request.status >= 200 && request.status < 300
        ? resolve(request.response)
        : void Problem.answered(request.status, request.response ?? {}).then(reject);
    request.onerror = () => reject(Problem.of(new TypeError('no answer')));
    request.onabort = () => reject(new DOMException('canceled', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    if (signal.aborted) return request.onabort(new ProgressEvent('abort'));
    request.send(body);
  });
}

/** The content of a file in base64. */
export function base64Of(file: Blob): Promise<string> {
  return dataUrlOf(file).then((url) => url.replace(/^[^,]*,?/, ''));
}

/** The content of a file as an address that pages may show. */
export function dataUrlOf(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
