export interface Switchboard {
  /** The number of the active mutant; 0 if none is active. */
  active: number
  /** One byte for each site, at the site's number: 1 if the site was reached. */
  readonly reached: Uint8Array
  /** The number of times that loops and functions may still begin before `stop` ends the test. */
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
