/** Returns the message of the error with which a ledger rejects writes because its file is damaged. */
export function damagedFile(problem: string): string {
  return `The ledger takes no writes, its file is damaged: ${problem}.`
}
