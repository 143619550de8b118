/**
 * A value, or the promise of one. `whenKnown` uses a value synchronously, because a needless wait
 * for a promise would delay an answer.
 */
export type MaybePromise<T> = T | Promise<T>

export function whenKnown<T, R>(value: MaybePromise<T>, use: (known: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}
