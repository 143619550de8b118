/** Known at once, or later. What is known at once is used at once: no answer waits for a turn that it does not need. */
export type MaybePromise<T> = T | Promise<T>

/** `use` of the value, in this turn where it is known. */
export function whenKnown<T, R>(value: MaybePromise<T>, use: (known: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}
