/** What instrumented code knows by the name of `__mutation`. */
export interface Switchboard {
  /** The number of the mutant that is switched on; 0: none. */
  active: number
  /** By site. */
  readonly reached: Uint8Array
  /** How many more loops and calls there may be. */
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
