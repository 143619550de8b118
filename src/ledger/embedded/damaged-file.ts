/** Returns the message with which a ledger whose file is damaged rejects writes. */
export function damagedFile(problem: string): string {
  return `The ledger takes no writes, its file is damaged: ${problem}.`
}
