export function takeLock(file: string): number | undefined;
export function releaseLock(file: string): void;
