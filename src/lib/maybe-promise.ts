/**
 * A value or a promise of it. If it is a value, callers use it synchronously, so that no answer waits for a
 * needless turn of the event loop.
 */
export type MaybePromise<T> = T | Promise<T>

/** Applies `use` to a value. It does so synchronously, unless the value is a promise. */
export function whenKnown<T, R>(value: MaybePromise<T>, use: (known: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}
