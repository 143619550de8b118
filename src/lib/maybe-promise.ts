/**
 * `whenKnown` uses a value synchronously, so that no answer waits for a needless turn of the event
 * loop.
 */
export type MaybePromise<T> = T | Promise<T>

export function whenKnown<T, R>(value: MaybePromise<T>, use: (known: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}
