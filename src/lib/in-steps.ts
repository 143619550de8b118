import { InPortions } from './in-portions.ts'

/**
 * Runs a generator to its end, a portion of its steps in each turn of the event loop, so that
 * incoming requests need not wait.
 */
export function inSteps<T>(steps: Generator<void, T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const portions = new InPortions()
  const step = () => {
    try {
      const { done, value } = steps.next()
      if (done === true) resolve(value as T)
      else portions.add([step])
    } catch (error) {
      reject(error)
    }
  }
  portions.add([step])
  return promise
}
