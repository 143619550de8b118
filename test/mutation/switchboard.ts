/** The object `__mutation` that instrumented code uses. */
export interface Switchboard {
  /** The number of the active mutant; 0 if none is active. */
  active: number
  /** 1 for each place that was reached, by the number of the place. */
  readonly reached: Uint8Array
  /** The number of loops and calls that are still permitted. */
  fuel: number
  readonly stop: () => never
}

declare global {
  var __mutation: Switchboard
}

export class OutOfFuel extends Error {
  override readonly name = 'OutOfFuel'
}

export function installSwitchboard(sites: number, active: number): Switchboard {
  globalThis.__mutation ??= {
    active,
    reached: new Uint8Array(sites + 1),
    fuel: Number.MAX_SAFE_INTEGER,
    stop: () => {
      throw new OutOfFuel('it goes on and on')
    },
  }
  return globalThis.__mutation
}
