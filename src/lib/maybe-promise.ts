/**
 * A value or a promise of it. Callers use a value synchronously, so that no answer waits for an unnecessary turn of the
 * event loop.
 */
export type MaybePromise<T> = T | Promise<T>

/** Applies `use` to the value: synchronously, unless the value is a promise. */
export function whenKnown<T, R>(value: MaybePromise<T>, use: (known: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}
