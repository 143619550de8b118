const sheetBytes = 1_048_576
const mostKept = 8

/**
 * Memory that the ledger's thread prints on and another one reads: used again and again, because memory that is new costs
 * more than what is written on it.
 */
export class Sheets {
  readonly #kept: SharedArrayBuffer[] = []

  take(): SharedArrayBuffer {
    return this.#kept.pop() ?? new SharedArrayBuffer(sheetBytes)
  }

  /** Of a sheet that nobody reads any more. One that is not given back is collected. */
  giveBack(sheet: SharedArrayBuffer): void {
    if (this.#kept.length < mostKept) this.#kept.push(sheet)
  }
}
